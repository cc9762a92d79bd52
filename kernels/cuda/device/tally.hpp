#pragma once

#include <cstdint>

namespace assay::cuda {

/// What checking kernels count, in device memory.
struct Tally {
  std::uint64_t checked;   ///< elements looked at
  std::uint64_t wrong;     ///< of them, not as expected
  std::uint64_t at;        ///< index of one wrong element (the first that was counted)
  std::uint64_t found;     ///< its bits
  std::uint64_t expected;  ///< the bits that should be there
  std::uint64_t sum;       ///< of kernels that add words, modulo 2^64
};

/// What one rank of several gives to a sum; see device/contributions.cu.
struct Contribution {
  std::uint64_t seed;   ///< equal on all ranks
  std::uint64_t first;  ///< index of the block's first element in the whole message
  int rank;
  int ranks;
};

/// A matrix as strides, in elements.
struct MatrixShape {
  std::uint64_t rows;
  std::uint64_t columns;
  std::uint64_t row_stride;
  std::uint64_t column_stride;
};

/// A cycle through all lines of an array; see device/chase.cu.
struct ChaseShape {
  std::uint64_t lines;  ///< a power of two, 2^3 .. 2^40
  std::uint64_t seed;
};

}  // namespace assay::cuda
