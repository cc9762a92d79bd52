#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/buffer.hpp"
#include "core/case.hpp"
#include "storage/scratch_file.hpp"

namespace assay {

/// A rank's scratch file, fully written with signed blocks, and the knowledge of what stands in each block. Kept from
/// case to case, so that it is written once in a run and no case reads holes or unwritten extents.
class TestFile {
 public:
  TestFile(const std::filesystem::path& directory, std::uint64_t seed, int rank);

  /// Writes (through the named engine) and flushes what of the first `bytes` bytes is not written yet.
  /// Throws Error(environment), mostly for a full disk.
  void extend(std::uint64_t bytes, std::string_view engine, BufferPool& buffers);
  /// What stands in the file is no longer known, say after a failed write; the next extend() writes all of it anew.
  void forget() noexcept { written_ = 0; }

  /// Gives each 4 KiB block of `memory`, which is about to be written at `offset`, its next generation. Fillers number
  /// `filler` and up have to stand there.
  void sign(std::span<std::byte> memory, std::uint64_t offset, std::uint64_t filler);
  /// Holds each 4 KiB block of `memory`, which was read at `offset`, against what was last written there.
  void check(std::span<const std::byte> memory, std::uint64_t offset, Check& result) const;

  [[nodiscard]] ScratchFile& file() { return file_; }
  [[nodiscard]] std::uint64_t seed() const { return seed_; }
  /// A different number for each caller, so that cases do not repeat each other's offsets.
  [[nodiscard]] std::uint64_t next_use() { return uses_++; }

 private:
  ScratchFile file_;
  std::uint64_t seed_;
  std::uint64_t written_ = 0;
  std::uint64_t uses_ = 0;
  std::vector<std::uint32_t> generations_;  ///< of each 4 KiB block
};

/// The test file of this rank (a rank is a process, or a thread in tests) in `directory`, at least `bytes` long. Made
/// on first use and kept until the rank asks for another directory, ends, or meets an error here: then nothing stays.
[[nodiscard]] std::shared_ptr<TestFile> test_file_of_rank(const Context& context, std::uint64_t bytes,
                                                          std::string_view engine);

}  // namespace assay
