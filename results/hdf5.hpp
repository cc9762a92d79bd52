#pragma once

#include <hdf5.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "results/new_file.hpp"

namespace assay::results {

/// Private to results/: owners and checks for the C API of HDF5. A failed call throws Error(environment) with the
/// action and what HDF5 says; callers add the path and, for files of others, turn it into Error(bad_input).

/// To be called before anything else of HDF5 in each thread; cheap, idempotent. Errors are thrown, so HDF5 prints none.
void prepare_hdf5();

/// Outermost and innermost message of HDF5's error stack of this thread.
[[nodiscard]] std::string hdf5_error_text();

/// Throws Error(environment) "cannot ACTION: ..." when `result` (an id, status or size of HDF5) is negative.
template <class Result>
Result check_hdf5(Result result, std::string_view action);

/// An HDF5 identifier, closed by the function that fits its kind.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);

  Handle() = default;
  /// Throws Error(environment) when `id` is negative.
  Handle(hid_t id, Close closer, std::string_view action) : id_(check_hdf5(id, action)), close_(closer) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }

  /// Closes now; throws Error(environment) when that fails.
  void close(std::string_view action) {
    if (id_ >= 0) check_hdf5(close_(std::exchange(id_, -1)), action);
  }
  [[nodiscard]] hid_t get() const { return id_; }

 private:
  hid_t id_ = -1;
  Close close_ = nullptr;
};

/// How the chunks of a file are stored.
enum class Storage {
  running,  ///< plain: a writer killed at any moment leaves a readable file
  final     ///< compressed
};

/// A file being written. What is not flushed or closed never reaches it: HDF5 would go on after a failed write, and
/// announce a size that the file does not have.
class OutputFile {
 public:
  OutputFile() = default;
  /// Fills the empty file of `place`.
  OutputFile(const NewFile& place, Storage storage);
  OutputFile(OutputFile&&) noexcept = default;
  OutputFile& operator=(OutputFile&&) noexcept = default;
  ~OutputFile();

  /// Makes room on the disk first, so that a full disk is noticed before anything is overwritten.
  void flush();
  void close();
  /// Leaves the file as the last flush made it; every object in it is closed before.
  void abandon();
  [[nodiscard]] bool is_open() const { return file_.get() >= 0; }
  [[nodiscard]] hid_t get() const { return file_.get(); }

 private:
  [[nodiscard]] int descriptor() const;

  Handle file_;
};

[[nodiscard]] Handle open_file_for_reading(const std::filesystem::path& path);

}  // namespace assay::results
