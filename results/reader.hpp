#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "results/record.hpp"

namespace assay::results {

/// Reads the record of a run. Values are handed out as they are in the file: NaN, infinite and negative samples, too.
/// A file whose run was killed (status "running") is readable up to the last append that was complete.
/// Every error is an Error(bad_input) that names the path.
class Reader {
 public:
  /// Throws when the file is missing, empty, a directory, truncated, not HDF5, not made by assay, or of a newer major
  /// schema; and, naming the row of /series, when ids do not ascend from 0, count is not ranks * kept, or samples,
  /// members or histogram lie outside of their arrays.
  [[nodiscard]] static Reader open(const std::filesystem::path& path);

  ~Reader();
  Reader(Reader&& other) noexcept;
  Reader& operator=(Reader&& other) noexcept;

  [[nodiscard]] const RunInfo& run() const;
  [[nodiscard]] const std::filesystem::path& path() const;

  [[nodiscard]] const std::vector<SeriesRow>& series() const;

  /// A whole table. Row: one of TableRows but SeriesRow.
  template <class Row>
  [[nodiscard]] std::vector<Row> rows() const;

  /// World ranks of all series; those of one are [row.members, row.members + row.ranks).
  [[nodiscard]] std::vector<std::int32_t> members() const;

  /// Fills `seconds` with /samples[offset ...]. Throws when these are not all there.
  void samples(std::int64_t offset, std::span<double> seconds) const;
  /// Those of `row`: seconds[rank][kept], rank-major.
  [[nodiscard]] std::vector<double> samples(const SeriesRow& row) const;
  /// Those of all series; of one: [row.offset, row.offset + row.count).
  [[nodiscard]] std::vector<double> all_samples() const;

  /// LogHistogram::bins counts. Throws when there is no such row.
  [[nodiscard]] std::vector<std::uint64_t> histogram(std::int64_t row) const;

 private:
  class File;
  explicit Reader(std::unique_ptr<File> file);

  std::unique_ptr<File> file_;
};

}  // namespace assay::results
