#include "collectives/nccl/factors.hpp"

#include <algorithm>

namespace assay::nccl {

double factor_all_reduce(double n) { return 2 * (n - 1) / n; }
double factor_exchange(double n) { return (n - 1) / n; }
double factor_one(double) { return 1; }

std::size_t block_elements(std::size_t bytes, std::size_t blocks, std::size_t element_bytes) {
  constexpr std::size_t alignment = 16;
  const std::size_t block = bytes / blocks;
  const std::size_t whole = block >= alignment ? block - block % alignment : block;
  return std::max<std::size_t>(1, whole / element_bytes);
}

}  // namespace assay::nccl
