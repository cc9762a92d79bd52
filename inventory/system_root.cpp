#include "inventory/system_root.hpp"

#include <fmt/format.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <system_error>

#include "core/error.hpp"
#include "inventory/text.hpp"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

namespace assay {
namespace {

std::string why(std::string_view path, int error_number) {
  return fmt::format("{}: {}", path, std::generic_category().message(error_number));
}

std::filesystem::path existing_directory(const std::filesystem::path& directory) {
  std::error_code error;
  auto real = std::filesystem::canonical(directory, error);
  if (error || !std::filesystem::is_directory(real))
    throw bad_input(fmt::format("{}: no directory to read facts about the machine from", directory.string()));
  return real;
}

void add_names(const std::filesystem::path& directory, std::vector<std::string>& names) {
  std::error_code error;
  for (std::filesystem::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    names.push_back(entry->path().filename().string());
  }
}

}  // namespace

SystemRoot::SystemRoot(const std::filesystem::path& root, const std::filesystem::path& overlay)
    : root_(existing_directory(root)) {
  if (!overlay.empty()) overlay_ = existing_directory(overlay);
}

std::filesystem::path SystemRoot::at(std::string_view path) const {
  const auto relative = std::filesystem::path(path).relative_path();
  std::error_code error;
  if (overlaid() && std::filesystem::exists(overlay_ / relative, error)) return overlay_ / relative;
  return root_ / relative;
}

Fact<std::string> SystemRoot::read(std::string_view path) const {
  errno = 0;
  std::ifstream file(at(path), std::ios::binary);
  if (!file) return Fact<std::string>::unknown(why(path, errno));
  std::string text;
  // Attributes of a device may open and then refuse to be read: the stream turns that into badbit or an exception.
  try {
    text.assign(std::istreambuf_iterator<char>(file), {});
  } catch (const std::ios_base::failure&) {
    return Fact<std::string>::unknown(why(path, errno == 0 ? EIO : errno));
  }
  if (text.empty() && errno != 0) return Fact<std::string>::unknown(why(path, errno));
  return std::string(trim(text));
}

Fact<std::int64_t> SystemRoot::read_integer(std::string_view path) const {
  const auto text = read(path);
  if (!text.known()) return Fact<std::int64_t>::unknown(text.why());
  const auto number = parse_integer(text.value());
  if (!number) return Fact<std::int64_t>::unknown(fmt::format("{}: no whole number: '{}'", path, text.value()));
  return *number;
}

bool SystemRoot::exists(std::string_view path) const {
  std::error_code error;
  return std::filesystem::exists(at(path), error);
}

std::vector<std::string> SystemRoot::list(std::string_view path) const {
  std::vector<std::string> names;
  const auto relative = std::filesystem::path(path).relative_path();
  add_names(root_ / relative, names);
  if (overlaid()) add_names(overlay_ / relative, names);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

Fact<std::string> SystemRoot::resolve(std::string_view path) const {
  std::error_code error;
  const auto real = std::filesystem::canonical(at(path), error);
  if (error) return Fact<std::string>::unknown(fmt::format("{}: {}", path, error.message()));
  for (const auto* tree : {&overlay_, &root_}) {
    if (tree->empty()) continue;
    const auto inside = real.lexically_relative(*tree);
    if (inside == ".") return std::string("/");
    if (!inside.empty() && *inside.begin() != "..") return fmt::format("/{}", inside.string());
  }
  return Fact<std::string>::unknown(fmt::format("{}: leads to {}, outside of the tree", path, real.string()));
}

Fact<SystemRoot::Space> SystemRoot::space(std::string_view path) const {
  struct statvfs info {};
  if (statvfs(at(path).c_str(), &info) != 0) return Fact<Space>::unknown(why(path, errno));
  const auto bytes = [&](fsblkcnt_t blocks) { return static_cast<std::int64_t>(blocks * info.f_frsize); };
  return Space{bytes(info.f_blocks), bytes(info.f_bavail)};
}

Fact<std::string> SystemRoot::hypervisor_signature() const {
#if defined(__x86_64__) || defined(__i386__)
  constexpr unsigned hypervisor_leaf = 0x40000000;
  std::array<unsigned, 4> registers{};
  __cpuid(hypervisor_leaf, registers[0], registers[1], registers[2], registers[3]);
  std::array<char, 13> name{};
  std::memcpy(name.data(), &registers[1], 12);
  return std::string(name.data());
#else
  return Fact<std::string>::unknown("only x86 CPUs name their hypervisor");
#endif
}

SystemRoot machine_with_overlay(const std::filesystem::path& directory) {
  if (directory.empty()) return SystemRoot();
  const auto host = SystemRoot().read("/proc/sys/kernel/hostname");
  std::error_code error;
  if (host.known() && std::filesystem::is_directory(directory / host.value(), error))
    return SystemRoot("/", directory / host.value());
  throw bad_input(fmt::format("{} has no directory for this host, '{}'", directory.string(), host.value_or("?")),
                  "an overlay has one directory for each host, named like it");
}

std::string base_name(std::string_view path) { return std::filesystem::path(path).filename().string(); }

}  // namespace assay
