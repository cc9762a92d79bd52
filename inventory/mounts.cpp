#include "inventory/mounts.hpp"

#include <algorithm>
#include <optional>

#include "inventory/text.hpp"

namespace assay {
namespace {

/// The kernel writes white space and backslashes as a backslash and three octal digits.
std::string unescape(std::string_view text) {
  const auto octal = [](char digit) { return digit >= '0' && digit <= '7'; };
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size() && octal(text[i + 1]) && octal(text[i + 2]) && octal(text[i + 3])) {
      plain += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
      i += 3;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

std::optional<Mount> parse_line(std::string_view line) {
  const auto fields = words(line);
  const auto dash = std::find(fields.begin(), fields.end(), "-");
  if (dash - fields.begin() < 6 || fields.end() - dash < 4) return std::nullopt;
  const auto id = parse_integer(fields[0]);
  const auto parent = parse_integer(fields[1]);
  if (!id || !parent) return std::nullopt;
  return Mount{static_cast<int>(*id), static_cast<int>(*parent), fields[2],
               unescape(fields[3]),   unescape(fields[4]),       *(dash + 1),
               unescape(*(dash + 2)), unescape(*(dash + 3))};
}

const Mount* root_mount(const std::vector<Mount>& mounts) {
  for (const auto& mount : mounts) {
    const bool parent_listed = std::any_of(mounts.begin(), mounts.end(), [&](const Mount& other) {
      return other.id == mount.parent && other.id != mount.id;
    });
    if (mount.point == "/" && !parent_listed) return &mount;
  }
  return nullptr;
}

}  // namespace

std::vector<Mount> read_mounts(const SystemRoot& root) {
  std::vector<Mount> mounts;
  for (const auto& line : split(root.read("/proc/self/mountinfo").value_or(""), '\n')) {
    if (auto mount = parse_line(line)) mounts.push_back(std::move(*mount));
  }
  return mounts;
}

const Mount* mount_of(const std::vector<Mount>& mounts, std::string_view path) {
  const Mount* current = root_mount(mounts);
  // A path is walked from the left: the shortest mount point below the current mount is met first.
  for (std::size_t step = 0; current != nullptr && step < mounts.size(); ++step) {
    const Mount* next = nullptr;
    for (const auto& mount : mounts) {
      if (mount.parent != current->id || mount.id == current->id || !lies_in(path, mount.point)) continue;
      if (next == nullptr || mount.point.size() < next->point.size()) next = &mount;
    }
    if (next == nullptr) break;
    current = next;
  }
  return current;
}

std::string mount_option(const Mount& mount, std::string_view name) {
  for (const auto& option : split(mount.options, ',')) {
    const auto equals = option.find('=');
    if (equals != std::string::npos && option.substr(0, equals) == name) return option.substr(equals + 1);
  }
  return {};
}

bool lies_in(std::string_view path, std::string_view directory) {
  if (directory == "/") return path.starts_with('/');
  return path.starts_with(directory) && (path.size() == directory.size() || path[directory.size()] == '/');
}

}  // namespace assay
