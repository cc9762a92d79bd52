#pragma once

#include <cstdint>

namespace assay {

/// Which block operation number n touches. Each pass over the file touches every block once, and all passes go in the
/// same order, so two operations on one block are always `blocks` operations apart and never in flight together.
class BlockOrder {
 public:
  [[nodiscard]] static BlockOrder sequential(std::uint64_t blocks);
  /// Pseudo-random by `seed`.
  [[nodiscard]] static BlockOrder shuffled(std::uint64_t blocks, std::uint64_t seed);

  [[nodiscard]] std::uint64_t block_of(std::uint64_t operation) const;

 private:
  BlockOrder(std::uint64_t blocks, bool shuffle, std::uint64_t seed);
  [[nodiscard]] std::uint64_t permute(std::uint64_t value) const;

  std::uint64_t blocks_;
  bool shuffle_;
  int half_bits_ = 1;  ///< the permutation works on 2 * half_bits_ bits
  std::uint64_t seed_;
};

}  // namespace assay
