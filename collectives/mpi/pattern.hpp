#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/case.hpp"

namespace assay::mpi {

/// Names the data that one rank has for another in one batch of iterations.
struct Stream {
  std::uint64_t seed = 0;
  std::uint64_t batch = 0;
  int source = 0;
  int destination = 0;
};

/// The contents of a block: whole numbers drawn by stream and position, repeated with a prime period, so that data
/// from another rank, another batch or another place in the block differ. Whole numbers below 2^24 are exact in
/// float, hence sums are too, in any order: results are compared bit by bit.
/// Filling and comparing cost little more than memcpy and memcmp, so whole buffers are checked at every size.
template <class T>
class Tile {
 public:
  static constexpr std::size_t period = 4093;
  /// Values are in [0, limit): sums over up to 65,536 ranks stay below 2^24, and a byte never equals the poison.
  static constexpr std::uint64_t limit = 255;

  /// Enough of the pattern for blocks of `count` elements.
  Tile(const Stream& stream, std::size_t count);

  Tile& operator+=(const Tile& other);
  void fill(std::span<T> block) const;
  /// Adds what it finds in `block` to `check`; `name` stands for the block in Check::first.
  void compare(std::span<const T> block, const char* name, int number, Check& check) const;

 private:
  std::vector<T> values_;
};

/// Fills with bytes that no pattern has, so that data which never arrived are seen.
void poison(std::span<std::byte> bytes);

/// Damages the element in the middle, if there is one; false for an empty block.
bool damage(std::span<std::byte> bytes);

}  // namespace assay::mpi
