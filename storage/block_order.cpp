#include "storage/block_order.hpp"

#include <algorithm>
#include <bit>

#include "core/random.hpp"

namespace assay {

BlockOrder BlockOrder::sequential(std::uint64_t blocks) { return {blocks, false, 0}; }

BlockOrder BlockOrder::shuffled(std::uint64_t blocks, std::uint64_t seed) { return {blocks, true, seed}; }

BlockOrder::BlockOrder(std::uint64_t blocks, bool shuffle, std::uint64_t seed)
    : blocks_(blocks),
      shuffle_(shuffle),
      half_bits_(std::max(1, (static_cast<int>(std::bit_width(blocks - 1)) + 1) / 2)),
      seed_(seed) {}

// A Feistel network is a permutation whatever its round function is; four rounds mix well (Luby & Rackoff 1988).
std::uint64_t BlockOrder::permute(std::uint64_t value) const {
  const std::uint64_t mask = (std::uint64_t{1} << half_bits_) - 1;
  std::uint64_t left = value >> half_bits_;
  std::uint64_t right = value & mask;
  for (std::uint64_t round = 0; round < 4; ++round) {
    const std::uint64_t next = left ^ (mix(seed_ + round, right) & mask);
    left = right;
    right = next;
  }
  return left << half_bits_ | right;
}

std::uint64_t BlockOrder::block_of(std::uint64_t operation) const {
  std::uint64_t block = operation % blocks_;
  if (!shuffle_) return block;
  // The network permutes a power of four; following the cycle until inside keeps it a permutation of 0..blocks-1.
  do block = permute(block);
  while (block >= blocks_);
  return block;
}

}  // namespace assay
