#pragma once

#include <toml++/toml.h>

#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace emulator {

/// A table of a TOML file that is read key by key. Every mistake is a ConfigError that names file, line and key: a
/// value of the wrong type or out of its range, and, by finish(), a key that nobody asked for.
class TomlTable {
 public:
  /// `file` is for messages. The table outlives this.
  TomlTable(const toml::table& table, std::string file) : table_(&table), file_(std::move(file)) {}

  [[nodiscard]] bool has(std::string_view key) const { return table_->contains(key); }
  [[nodiscard]] bool is_text(std::string_view key) const { return has(key) && table_->get(key)->is_string(); }
  /// These set `value` when the key is there, and leave it alone otherwise.
  void read(std::string_view key, std::string& value);
  void read(std::string_view key, bool& value);
  void read(std::string_view key, double& value, double least, double most);
  void read(std::string_view key, int& value, int least, int most);
  void read(std::string_view key, std::uint64_t& value);
  /// One integer or a list of integers.
  void read(std::string_view key, std::vector<int>& values, int least, int most);
  void read(std::string_view key, std::vector<std::string>& values);
  /// The position of the text among the choices.
  void choose(std::string_view key, int& value, const std::vector<std::string_view>& choices);
  /// Tables of an array of tables; none when the key is absent.
  std::vector<TomlTable> tables(std::string_view key);
  /// The table of this name; an empty vector when it is absent.
  std::vector<TomlTable> table(std::string_view key);

  /// Refuses the keys that were not asked for.
  void finish() const;
  [[noreturn]] void fail(std::string_view key, const std::string& why) const;

 private:
  const toml::node* take(std::string_view key);

  const toml::table* table_;
  std::string file_;
  std::set<std::string, std::less<>> known_;
};

/// Parses a file. Throws ConfigError.
toml::table parse_toml(const std::filesystem::path& file);

}  // namespace emulator
