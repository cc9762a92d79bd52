#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <vector>

#include "results/hdf5.hpp"
#include "results/schema.hpp"
#include "results/value_type.hpp"

namespace assay::results {

/// Private to results/: a row struct as bytes, and the HDF5 compound type that describes them.
template <class Row>
class RowLayout {
 public:
  /// As the schema says.
  RowLayout() {
    std::vector<Handle> types;
    for (const auto& field : Table<Row>::fields) types.push_back(field_type(field));
    arrange(types);
  }

  /// As a file has it: columns are found by name, unknown ones left out, text as wide as there.
  /// Throws Error(bad_input) naming a column that is missing or of another type.
  explicit RowLayout(hid_t file_type) {
    std::vector<Handle> types;
    for (const auto& field : Table<Row>::fields) {
      const std::string column(field.name);
      const int index = H5Tget_class(file_type) == H5T_COMPOUND ? H5Tget_member_index(file_type, column.c_str()) : -1;
      if (index < 0) throw bad_input(fmt::format("column {} is missing", column));
      Handle type(H5Tget_member_type(file_type, static_cast<unsigned>(index)), H5Tclose, "get HDF5 type");
      types.push_back(reading_type(field, std::move(type)));
    }
    arrange(types);
  }

  [[nodiscard]] hid_t type() const { return type_.get(); }
  [[nodiscard]] std::size_t size() const { return size_; }

  void pack(const Row& row, char* target) const {
    std::size_t i = 0;
    for (const auto& field : Table<Row>::fields) {
      store(field, row, target + places_[i].offset, places_[i].bytes);
      ++i;
    }
  }

  [[nodiscard]] Row unpack(const char* source) const {
    Row row;
    std::size_t i = 0;
    for (const auto& field : Table<Row>::fields) {
      load(field, row, source + places_[i].offset, places_[i].bytes);
      ++i;
    }
    return row;
  }

 private:
  struct Place {
    std::size_t offset;
    std::size_t bytes;
  };

  void arrange(const std::vector<Handle>& types) {
    for (const Handle& type : types) {
      places_.push_back({size_, H5Tget_size(type.get())});
      size_ += places_.back().bytes;
    }
    type_ = Handle(H5Tcreate(H5T_COMPOUND, size_), H5Tclose, "create HDF5 row type");
    std::size_t i = 0;
    for (const auto& field : Table<Row>::fields) {
      const std::string column(field.name);
      check_hdf5(H5Tinsert(type_.get(), column.c_str(), places_[i].offset, types[i].get()), "add column " + column);
      ++i;
    }
  }

  std::vector<Place> places_;
  std::size_t size_ = 0;
  Handle type_;
};

}  // namespace assay::results
