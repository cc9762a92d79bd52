#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/units.hpp"
#include "results/record.hpp"

namespace assay::results {

/// Writes the record of one run; used by rank 0. Everything is flushed before a call returns, so a process killed at
/// any moment leaves a readable file with all that was appended. All members may be called from any thread.
/// A failed write throws Error(environment) with the path; what was appended before stays readable, and every later
/// call but the destructor throws too.
class Writer {
 public:
  /// Creates the file with /run (status "running") and empty tables. An existing file is replaced only with
  /// `overwrite`, and only once the new one is there. Throws Error(bad_input) when the path exists (without
  /// `overwrite`), is no regular file, or cannot be written.
  [[nodiscard]] static Writer create(const std::filesystem::path& path, RunInfo info, bool overwrite);

  /// Leaves the file as a kill would: status "running".
  ~Writer();
  Writer(Writer&& other) noexcept;
  Writer& operator=(Writer&& other) noexcept;

  /// Row: one of TableRows but SeriesRow.
  /// Throws Error(environment) when an identifier is longer than its column; free text is cut.
  template <class Row>
  void append(const std::vector<Row>& rows);

  /// Returns the id of the series. Its row is written after its samples, so that no row points at nothing.
  /// Throws Error(environment) when the sizes of the parts do not fit together.
  std::int64_t append(const Series& series);

  /// Closes the file with status "done" or "stopped", then replaces it by a compressed copy. When there is no room for
  /// the copy, the file stays as it is.
  void finish(const std::string& status, const std::string& reason);

  /// For a watchdog whose main thread may be stuck in a call of this class: gives up, returning false, when that call
  /// does not end within `timeout`. Otherwise appends `event` and closes with `status` at once, uncompressed; a file
  /// that is closed already is left alone. Throws Error(environment) when the disk does not take it.
  bool try_finish(const std::string& status, const std::string& reason, const EventRow& event, Seconds timeout);

  [[nodiscard]] const std::filesystem::path& path() const;

 private:
  class File;
  explicit Writer(std::unique_ptr<File> file);

  std::unique_ptr<File> file_;
};

}  // namespace assay::results
