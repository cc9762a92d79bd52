#pragma once

#include <string_view>
#include <tuple>

#include "results/dataset.hpp"
#include "results/row_layout.hpp"

namespace assay::results {

/// Private to results/: what lies in a file being written.

template <class Row>
struct OpenTable {
  RowLayout<Row> layout;
  Dataset dataset;
};

template <class Rows>
struct OpenTables;
template <class... Row>
struct OpenTables<std::tuple<Row...>> {
  using Type = std::tuple<OpenTable<Row>...>;
};

struct Contents {
  OpenTables<TableRows>::Type tables;
  Dataset members;
  Dataset samples;
  Dataset histograms;

  template <class Row>
  [[nodiscard]] OpenTable<Row>& table() {
    return std::get<OpenTable<Row>>(tables);
  }

  /// Calls visit(name, Dataset&) for everything.
  template <class Visit>
  void for_each(Visit&& visit) {
    std::apply([&]<class... Row>(OpenTable<Row>&... table) { (visit(Table<Row>::name, table.dataset), ...); }, tables);
    visit(members_array.name, members);
    visit(samples_array.name, samples);
    visit(histograms_array.name, histograms);
  }
};

/// Writes /run and empty tables and arrays, with the unit and definition of every column.
[[nodiscard]] Contents create_contents(hid_t file, const RunInfo& info, Storage storage);

/// Overwrites status and status_reason in place.
void rewrite_status(hid_t file, const RunInfo& info);

/// Throws Error(bad_input) when the file is not one of ours, its schema is too new, or a value is missing.
[[nodiscard]] RunInfo read_run(hid_t file);

}  // namespace assay::results
