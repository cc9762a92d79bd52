#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "inventory/fact.hpp"

namespace assay {

/// Columns as wide as their widest cell; the last is not padded. Rows may be short.
class Columns {
 public:
  explicit Columns(std::vector<std::string> titles) { add(std::move(titles)); }
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }

  [[nodiscard]] std::string text() const {
    std::string lines;
    for (const auto& row : rows_) {
      std::string line;
      for (std::size_t column = 0; column < row.size(); ++column) {
        line += fmt::format("  {:<{}}", row[column], width(column));
      }
      line.erase(line.find_last_not_of(' ') + 1);
      lines += line + "\n";
    }
    return lines;
  }

 private:
  [[nodiscard]] std::size_t width(std::size_t column) const {
    std::size_t widest = 0;
    for (const auto& row : rows_)
      if (column < row.size()) widest = std::max(widest, row[column].size());
    return widest;
  }

  std::vector<std::vector<std::string>> rows_;
};

/// Reasons for the "?" cells of a table, one line for all rows that share one.
class Notes {
 public:
  void add(const std::string& row, const std::string& reason) {
    const auto same = [&](const auto& note) { return note.second == reason; };
    const auto found = std::find_if(notes_.begin(), notes_.end(), same);
    if (found == notes_.end()) {
      notes_.emplace_back(row, reason);
    } else {
      found->first += ", " + row;
    }
  }
  /// The fact's text, or "?" with a note.
  template <class T>
  std::string cell(const std::string& row, const std::string& column, const Fact<T>& fact,
                   const std::function<std::string(const T&)>& text) {
    if (fact.known()) return text(fact.value());
    add(row, column + " unknown: " + fact.why());
    return "?";
  }
  [[nodiscard]] std::string text() const {
    std::string lines;
    for (const auto& [rows, reason] : notes_) lines += fmt::format("  {}: {}\n", rows, reason);
    return lines;
  }

 private:
  std::vector<std::pair<std::string, std::string>> notes_;
};

}  // namespace assay
