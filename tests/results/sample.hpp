#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "core/statistics.hpp"
#include "results/schema.hpp"
#include "tests/temporary_directory.hpp"

namespace assay::results {

using test::TemporaryDirectory;

/// A row whose every column holds a value of its own, different for each seed.
template <class Row>
Row distinct_row(int seed) {
  Row row;
  int column = 0;
  for (const auto& field : Table<Row>::fields) {
    ++column;
    std::visit(
        [&]<class T>(T Row::*member) {
          if constexpr (std::is_same_v<T, std::string>) {
            row.*member = "\u00e4" + std::to_string(seed) + "." + std::to_string(column);
          } else if constexpr (std::is_same_v<T, bool>) {
            row.*member = (seed + column) % 2 == 0;
          } else {
            row.*member = static_cast<T>(seed * 1000 + column);
          }
        },
        field.member);
  }
  return row;
}

/// Names of the columns that differ.
template <class Row>
std::vector<std::string> differences(const Row& a, const Row& b) {
  std::vector<std::string> names;
  for (const auto& field : Table<Row>::fields) {
    std::visit(
        [&](auto member) {
          if (a.*member != b.*member) names.emplace_back(field.name);
        },
        field.member);
  }
  return names;
}

RunInfo sample_run();

/// Sample i of series n is n + i / 1e6, so that every one tells where it belongs.
double sample_value(std::int64_t series, std::size_t index);
Series sample_series(std::int64_t series, int ranks, int kept);

/// The content of `path`.
std::string read_bytes(const std::filesystem::path& path);
void write_bytes(const std::filesystem::path& path, const std::string& bytes);

}  // namespace assay::results
