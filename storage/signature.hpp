#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace assay {

/// Every 4 KiB block of a test file says what it is, so that a block that was lost, misplaced, stale, torn or damaged
/// is told from a right one. As 64-bit words: 0 seed of the file, 1 offset in the file, 2 generation (high half) and
/// filler number (low half), 3 seal of words 0 to 2, 4 to 510 filler, 511 the seal again. The filler is pseudo-random,
/// so that compressing storage gains nothing.
inline constexpr std::size_t signed_block_bytes = 4096;

struct Signature {
  std::uint64_t seed = 0;
  std::uint64_t offset = 0;      ///< bytes
  std::uint32_t generation = 0;  ///< 1 for the first write of this block, and one more for each that follows
  std::uint32_t filler = 0;      ///< which filler stands in the block

  bool operator==(const Signature&) const = default;
};

/// Fills whole blocks with fillers number 0, 1, ... of this file.
void write_fillers(std::span<std::byte> memory, std::uint64_t seed);

/// Signs one block whose filler is already there. Cheap: touches the first and the last cache line only.
void sign_block(std::span<std::byte> block, const Signature& signature);

/// Nothing when every byte is as signed with this seed, offset and generation; otherwise what is wrong.
[[nodiscard]] std::optional<std::string> find_fault(std::span<const std::byte> block, std::uint64_t seed,
                                                    std::uint64_t offset, std::uint32_t generation);

}  // namespace assay
