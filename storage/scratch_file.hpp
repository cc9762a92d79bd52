#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

#include "core/error.hpp"

namespace assay {

/// An open file past the page cache (O_DIRECT) that no longer has a name: it was created with O_EXCL and unlinked at
/// once, so the system removes it on every way out of the process, kill -9 included. Offsets, sizes and addresses
/// that are read or written have to be multiples of 4096 bytes.
class ScratchFile {
 public:
  /// `seed` and `rank` go into the short-lived name, with the process id, so that ranks on a shared file system do
  /// not meet. Throws Error(environment) when the file cannot be made, or when the file system gives no O_DIRECT:
  /// what is measured there would be the page cache.
  ScratchFile(const std::filesystem::path& directory, std::uint64_t seed, int rank);
  ScratchFile(ScratchFile&& other) noexcept;
  ScratchFile& operator=(ScratchFile&& other) noexcept;
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  ~ScratchFile();

  /// Makes the file `bytes` long and reserves the space where the file system can, so that a full disk shows now.
  /// Throws Error(environment).
  void reserve(std::uint64_t bytes);

  /// fdatasync. Throws Error(environment).
  void flush();

  [[nodiscard]] int descriptor() const { return descriptor_; }
  /// For messages: the name that the file had for a moment.
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  int descriptor_ = -1;
  std::filesystem::path path_;
};

/// Whether O_DIRECT is in force on the open file, asked from the kernel.
[[nodiscard]] bool is_direct(int descriptor);

/// The whole span at `offset`, in as many calls as it takes. Throw Error(environment) naming `path` when the file ends
/// or the system refuses.
void read_fully(int descriptor, const std::filesystem::path& path, std::span<std::byte> data, std::uint64_t offset);
void write_fully(int descriptor, const std::filesystem::path& path, std::span<const std::byte> data,
                 std::uint64_t offset);

/// Throws Error(bad_input) naming this host when `path` is missing, no directory, or no file can be made in it.
/// Leaves nothing behind.
void validate_test_path(const std::filesystem::path& path);

/// "PATH: ACTION on HOST: reason"; a full disk or quota also names the free bytes and what to do.
[[nodiscard]] Error storage_error(std::string_view action, const std::filesystem::path& path, int error_number);

/// For a file that ends before `offset`, where it was once longer.
[[nodiscard]] Error unexpected_end(const std::filesystem::path& path, std::uint64_t offset);

}  // namespace assay
