#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace assay::cuda {

/// 64 well-mixed bits from two words: the finaliser of splitmix64 (Steele, Lea, Flood 2014) on their combination.
__host__ __device__ inline std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  std::uint64_t word = a + 0x9e3779b97f4a7c15ULL * (b + 1);
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9ULL;
  word = (word ^ (word >> 27)) * 0x94d049bb133111ebULL;
  return word ^ (word >> 31);
}

}  // namespace assay::cuda
