#include "launcher/launch/hosts_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <map>
#include <optional>

#include "core/error.hpp"

namespace assay {

namespace {

constexpr int most_slots = 65535;

std::vector<std::string_view> words_of(std::string_view line) {
  constexpr std::string_view blanks = " \t\r";
  std::vector<std::string_view> words;
  for (std::size_t start = 0; (start = line.find_first_not_of(blanks, start)) != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(blanks, start), line.size());
    words.push_back(line.substr(start, end - start));
    start = end;
  }
  return words;
}

/// Names that the agent cannot take for an option, nor a shell for anything but a name.
bool is_host_name(std::string_view text) {
  const auto letter_or_digit = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  return !text.empty() && letter_or_digit(text.front()) && std::all_of(text.begin(), text.end(), [&](char c) {
    return letter_or_digit(c) || c == '.' || c == '-' || c == '_';
  });
}

std::optional<int> parse_slots(std::string_view text) {
  int slots = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), slots);
  const bool whole = code == std::errc{} && end == text.data() + text.size();
  return whole && slots >= 1 && slots <= most_slots ? std::optional(slots) : std::nullopt;
}

HostEntry parse_line(const std::vector<std::string_view>& words) {
  constexpr std::string_view key = "slots=";
  const std::size_t colon = words[0].find(':');
  const std::string_view name = words[0].substr(0, colon);
  std::optional<std::string_view> slots;
  std::size_t used = 1;
  if (colon != std::string_view::npos) {
    slots = words[0].substr(colon + 1);
  } else if (words.size() > 1 && words[1].substr(0, key.size()) == key) {
    slots = words[1].substr(key.size());
    used = 2;
  }
  if (!is_host_name(name)) throw bad_input(fmt::format("'{}' is not a host name", name));
  if (words.size() > used) throw bad_input(fmt::format("'{}' does not belong there", words[used]));
  HostEntry entry{std::string(name), 0};
  if (slots) {
    const auto number = parse_slots(*slots);
    if (!number) throw bad_input(fmt::format("'{}' slots: not a whole number from 1 to {}", *slots, most_slots));
    entry.slots = *number;
  }
  return entry;
}

}  // namespace

std::vector<HostEntry> parse_hosts(std::string_view text, std::string_view file) {
  constexpr auto hint = "one host on a line: HOST, HOST slots=N or HOST:N; # starts a comment";
  std::vector<HostEntry> hosts;
  std::map<std::string, int> line_of;
  int number = 0;
  while (!text.empty()) {
    ++number;
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const auto words = words_of(line.substr(0, line.find('#')));
    if (words.empty()) continue;
    try {
      hosts.push_back(parse_line(words));
    } catch (const Error& error) {
      throw bad_input(fmt::format("{}:{}: {}", file, number, error.what()), hint);
    }
    const auto [known, added] = line_of.emplace(hosts.back().name, number);
    if (!added)
      throw bad_input(fmt::format("{}:{}: {} is already on line {}", file, number, known->first, known->second));
  }
  if (hosts.empty()) throw bad_input(fmt::format("{}: names no host", file), hint);
  return hosts;
}

std::vector<HostEntry> read_hosts_file(const std::filesystem::path& file) {
  std::ifstream stream(file);
  if (!stream) throw system_error(ExitCode::bad_input, "cannot open the hosts file", file.string(), errno);
  std::string text;
  std::getline(stream, text, '\0');
  if (stream.bad()) throw system_error(ExitCode::bad_input, "cannot read the hosts file", file.string(), errno);
  return parse_hosts(text, file.string());
}

}  // namespace assay
