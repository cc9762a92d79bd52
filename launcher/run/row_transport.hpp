#pragma once

#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>
#include <vector>

#include "core/group.hpp"
#include "results/schema.hpp"

namespace assay {

/// Table rows as text, to travel between ranks; columns by the schema, NaN as null.
template <class Row>
[[nodiscard]] std::string pack_rows(const std::vector<Row>& rows) {
  nlohmann::json all = nlohmann::json::array();
  for (const Row& row : rows) {
    nlohmann::json values = nlohmann::json::array();
    for (const auto& field : results::Table<Row>::fields)
      std::visit([&](auto member) { values.push_back(row.*member); }, field.member);
    all.push_back(std::move(values));
  }
  return all.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

template <class Row>
[[nodiscard]] std::vector<Row> unpack_rows(const std::string& text) {
  std::vector<Row> rows;
  for (const auto& values : nlohmann::json::parse(text)) {
    Row row;
    std::size_t column = 0;
    for (const auto& field : results::Table<Row>::fields) {
      const nlohmann::json& value = values.at(column++);
      std::visit(
          [&](auto member) {
            using Value = std::remove_reference_t<decltype(row.*member)>;
            if constexpr (std::is_same_v<Value, double>)
              row.*member = value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
            else
              row.*member = value.get<Value>();
          },
          field.member);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

/// The rows of all ranks on rank 0, in rank order; empty elsewhere.
template <class Row>
[[nodiscard]] std::vector<Row> gather_rows(Group& world, const std::vector<Row>& mine) {
  std::vector<Row> all;
  for (const std::string& text : gather_texts(world, pack_rows(mine)))
    for (Row& row : unpack_rows<Row>(text)) all.push_back(std::move(row));
  return all;
}

}  // namespace assay
