#pragma once

#include <cuda_runtime.h>

#include <cstdint>

// How kernels walk through their work. Every kernel is written as loops over these ranges and uses no other index, no
// shared memory and no warp operation, so that the same source also compiles for a CPU with another grid.cuh.

namespace assay::cuda {

/// Indices from `first` in steps of `step`, below `end`.
class Range {
 public:
  class Iterator {
   public:
    __device__ Iterator(std::uint64_t at, std::uint64_t step) : at_(at), step_(step) {}
    __device__ std::uint64_t operator*() const { return at_; }
    __device__ Iterator& operator++() {
      at_ += step_;
      return *this;
    }
    __device__ bool operator!=(const Iterator& end) const { return at_ < end.at_; }

   private:
    std::uint64_t at_;
    std::uint64_t step_;
  };
  __device__ Range(std::uint64_t first, std::uint64_t end, std::uint64_t step)
      : first_(first), end_(end), step_(step) {}
  __device__ Iterator begin() const { return {first_, step_}; }
  __device__ Iterator end() const { return {end_, step_}; }

 private:
  std::uint64_t first_;
  std::uint64_t end_;
  std::uint64_t step_;
};

/// This thread's share of `elements` that lie one after another in memory, `bytes_each` long.
__device__ inline Range grid_range(std::uint64_t elements, std::uint32_t /*bytes_each*/) {
  const std::uint64_t step = static_cast<std::uint64_t>(gridDim.x) * blockDim.x;
  return {static_cast<std::uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x, elements, step};
}

/// This thread's share of the `rows` of a product that costs `flops` floating-point operations in all.
__device__ inline Range row_range(std::uint64_t rows, double /*flops*/) { return grid_range(rows, 1); }

/// All inner indices of a dot product in such a product.
__device__ inline Range inner_range(std::uint64_t length, double /*flops*/) { return {0, length, 1}; }

/// True in one thread of the grid.
__device__ inline bool first_thread() { return blockIdx.x == 0 && threadIdx.x == 0; }

/// The sum over the threads of a block, in its first thread; every thread of the block has to call it. At most 1024
/// threads, a multiple of 32.
__device__ inline std::uint64_t block_sum(std::uint64_t value) {
  constexpr int warp = 32;
  __shared__ unsigned long long parts[warp];
  for (int offset = warp / 2; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffffU, value, offset);
  __syncthreads();
  if (threadIdx.x % warp == 0) parts[threadIdx.x / warp] = value;
  __syncthreads();
  if (threadIdx.x != 0) return 0;
  std::uint64_t sum = 0;
  for (unsigned i = 0; i < (blockDim.x + warp - 1) / warp; ++i) sum += parts[i];
  return sum;
}

/// Adds, whole, with all other threads of the grid doing the same; returns what was there before.
__device__ inline std::uint64_t add_to_counter(std::uint64_t* counter, std::uint64_t value) {
  static_assert(sizeof(unsigned long long) == sizeof(std::uint64_t));
  return value == 0 ? 0 : atomicAdd(reinterpret_cast<unsigned long long*>(counter), value);
}

/// As add_to_counter for every thread of the block: one addition for each block.
__device__ inline void add_block_to_counter(std::uint64_t* counter, std::uint64_t value) {
  add_to_counter(counter, block_sum(value));
}

/// A clock of the device, in nanoseconds.
__device__ inline std::uint64_t device_nanoseconds() {
  std::uint64_t now = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

/// A word that the host may change meanwhile.
__device__ inline unsigned read_host_word(const unsigned* word) { return *static_cast<const volatile unsigned*>(word); }
__device__ inline void write_host_word(unsigned* word, unsigned value) {
  *static_cast<volatile unsigned*>(word) = value;
  __threadfence_system();
}

/// Between two looks at a host word.
__device__ inline void pause_between_looks() {}

}  // namespace assay::cuda
