#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "kernels/cuda/device/mix.cuh"
#include "kernels/cuda/device/tally.hpp"

namespace assay::cuda {

/// A random cycle through all lines: step s visits line_at(s). Each round is an odd multiplication modulo the number of
/// lines and an exclusive-or with the upper half of the bits, and can be undone.
class Cycle {
 public:
  __host__ __device__ explicit Cycle(const ChaseShape& shape) : mask_(shape.lines - 1) {
    int bits = 0;
    while (shape.lines >> (bits + 1) != 0) ++bits;
    shift_ = (bits + 1) / 2;
    for (int round = 0; round < rounds; ++round) {
      const std::uint64_t odd = mixed(shape.seed, static_cast<std::uint64_t>(round)) | 1;
      std::uint64_t inverse = odd;  // right modulo 8; each step of Newton's iteration doubles the right bits
      for (int right = 3; right < 64; right *= 2) inverse *= 2 - odd * inverse;
      multiplier_[round] = odd;
      inverse_[round] = inverse;
    }
  }

  /// `step` modulo the number of lines.
  __host__ __device__ std::uint64_t line_at(std::uint64_t step) const {
    std::uint64_t word = step & mask_;
    for (int round = 0; round < rounds; ++round) {
      word = (word * multiplier_[round]) & mask_;
      word ^= word >> shift_;
    }
    return word;
  }

  __host__ __device__ std::uint64_t step_of(std::uint64_t line) const {
    std::uint64_t word = line;
    for (int round = rounds - 1; round >= 0; --round) {
      word ^= word >> shift_;
      word = (word * inverse_[round]) & mask_;
    }
    return word;
  }

  __host__ __device__ std::uint64_t after(std::uint64_t line) const { return line_at(step_of(line) + 1); }

 private:
  static constexpr int rounds = 3;
  std::uint64_t mask_;
  int shift_;
  std::uint64_t multiplier_[rounds];
  std::uint64_t inverse_[rounds];
};

}  // namespace assay::cuda
