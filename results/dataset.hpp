#pragma once

#include <cstdint>
#include <string_view>

#include "results/hdf5.hpp"

namespace assay::results {

/// One row is `width` elements; a two-dimensional dataset when that is more than one.
struct Shape {
  std::uint64_t width = 1;
  std::uint64_t chunk_bytes = 64 << 10;  ///< rounded down to whole rows, at least one
};

/// Private to results/: a dataset that grows at its end.
class Dataset {
 public:
  [[nodiscard]] static Dataset create(hid_t file, std::string_view name, hid_t type, Shape shape, Storage storage);
  /// Throws Error(environment) when it is missing or has no dimension to grow in.
  [[nodiscard]] static Dataset open(hid_t file, std::string_view name);

  void append(hid_t memory_type, const void* data, std::uint64_t rows);
  /// Throws Error(environment) when [first, first + rows) is not all there.
  void read(hid_t memory_type, void* data, std::uint64_t first, std::uint64_t rows) const;

  [[nodiscard]] std::uint64_t rows() const { return rows_; }
  [[nodiscard]] std::uint64_t width() const { return width_; }
  [[nodiscard]] std::uint64_t chunk_rows() const { return chunk_rows_; }
  [[nodiscard]] Handle type() const;  ///< of one element, as in the file
  [[nodiscard]] hid_t id() const { return dataset_.get(); }
  void close();  ///< throws when that fails

 private:
  [[nodiscard]] Handle select(std::uint64_t first, std::uint64_t rows) const;

  Handle dataset_;
  std::uint64_t rows_ = 0;
  std::uint64_t width_ = 1;
  std::uint64_t chunk_rows_ = 1;
};

/// A text attribute of a group or dataset.
void write_attribute(hid_t object, const std::string& name, std::string_view text);

}  // namespace assay::results
