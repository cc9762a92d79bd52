#pragma once

#include "kernels/cuda/device/grid.cuh"
#include "kernels/cuda/device/tally.hpp"

namespace assay::cuda {

/// Counts a wrong element; the first one that is counted is kept.
__device__ inline void note_wrong(Tally* tally, std::uint64_t index, std::uint64_t found, std::uint64_t expected) {
  if (add_to_counter(&tally->wrong, 1) != 0) return;
  tally->at = index;
  tally->found = found;
  tally->expected = expected;
}

}  // namespace assay::cuda
