#include "tests/emulator/model/toml_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "tests/emulator/model/environment.hpp"

namespace emulator {
namespace {

std::string joined(const std::vector<std::string_view>& words) { return fmt::format("{}", fmt::join(words, ", ")); }

}  // namespace

toml::table parse_toml(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) throw ConfigError(fmt::format("{}: no such file", file.string()));
  try {
    return toml::parse_file(file.string());
  } catch (const toml::parse_error& fault) {
    throw ConfigError(fmt::format("{}:{}: {}", file.string(), fault.source().begin.line, fault.description()));
  }
}

const toml::node* TomlTable::take(std::string_view key) {
  known_.emplace(key);
  return table_->get(key);
}

void TomlTable::fail(std::string_view key, const std::string& why) const {
  const toml::node* node = table_->get(key);
  const auto line = (node != nullptr ? node->source() : table_->source()).begin.line;
  throw ConfigError(fmt::format("{}:{}: {}: {}", file_, line, key, why));
}

void TomlTable::read(std::string_view key, std::string& value) {
  const auto* node = take(key);
  if (node == nullptr) return;
  if (!node->is_string()) fail(key, "a text in quotes is expected");
  value = **node->as_string();
}

void TomlTable::read(std::string_view key, bool& value) {
  const auto* node = take(key);
  if (node == nullptr) return;
  if (!node->is_boolean()) fail(key, "true or false is expected");
  value = **node->as_boolean();
}

void TomlTable::read(std::string_view key, double& value, double least, double most) {
  const auto* node = take(key);
  if (node == nullptr) return;
  if (!node->is_number()) fail(key, "a number is expected");
  value = *node->value<double>();
  if (!(value >= least && value <= most)) fail(key, fmt::format("{} is not in {} to {}", value, least, most));
}

void TomlTable::read(std::string_view key, int& value, int least, int most) {
  std::vector<int> one;
  if (has(key) && !table_->get(key)->is_integer()) fail(key, "an integer is expected");
  read(key, one, least, most);
  if (!one.empty()) value = one.front();
}

void TomlTable::read(std::string_view key, std::uint64_t& value) {
  const auto* node = take(key);
  if (node == nullptr) return;
  if (!node->is_integer() || **node->as_integer() < 0) fail(key, "an integer that is not negative is expected");
  value = static_cast<std::uint64_t>(**node->as_integer());
}

void TomlTable::read(std::string_view key, std::vector<int>& values, int least, int most) {
  const auto* node = take(key);
  if (node == nullptr) return;
  std::vector<std::int64_t> found;
  if (node->is_integer()) {
    found.push_back(**node->as_integer());
  } else if (node->is_array() && node->as_array()->is_homogeneous(toml::node_type::integer)) {
    for (const auto& element : *node->as_array()) found.push_back(**element.as_integer());
  } else {
    fail(key, "an integer or a list of integers is expected");
  }
  values.clear();
  for (const auto number : found) {
    if (number < least || number > most) fail(key, fmt::format("{} is not in {} to {}", number, least, most));
    values.push_back(static_cast<int>(number));
  }
}

void TomlTable::read(std::string_view key, std::vector<std::string>& values) {
  const auto* node = take(key);
  if (node == nullptr) return;
  if (!node->is_array() || !node->as_array()->is_homogeneous(toml::node_type::string)) {
    fail(key, "a list of texts is expected");
  }
  values.clear();
  for (const auto& element : *node->as_array()) values.push_back(**element.as_string());
}

void TomlTable::choose(std::string_view key, int& value, const std::vector<std::string_view>& choices) {
  if (!has(key)) return;
  std::string text;
  read(key, text);
  const auto at = std::find(choices.begin(), choices.end(), text);
  if (at == choices.end()) fail(key, fmt::format("'{}' is none of {}", text, joined(choices)));
  value = static_cast<int>(at - choices.begin());
}

std::vector<TomlTable> TomlTable::tables(std::string_view key) {
  const auto* node = take(key);
  if (node == nullptr) return {};
  const auto* array = node->as_array();
  if (array == nullptr || !array->is_homogeneous(toml::node_type::table)) {
    fail(key, fmt::format("tables are expected, each begun by [[{}]]", key));
  }
  std::vector<TomlTable> result;
  for (const auto& element : *array) result.emplace_back(*element.as_table(), file_);
  return result;
}

std::vector<TomlTable> TomlTable::table(std::string_view key) {
  const auto* node = take(key);
  if (node == nullptr) return {};
  if (!node->is_table()) fail(key, "a table is expected");
  return {TomlTable(*node->as_table(), file_)};
}

void TomlTable::finish() const {
  for (const auto& [key, node] : *table_) {
    if (known_.contains(key.str())) continue;
    std::vector<std::string_view> known(known_.begin(), known_.end());
    fail(key.str(), fmt::format("no such key here; there are {}", joined(known)));
  }
}

}  // namespace emulator
