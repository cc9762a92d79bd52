#pragma once

#include <cstddef>

namespace assay::nccl {

// Bus bandwidth over algorithm bandwidth, n = ranks of the set (nccl-tests, src/*.cu and doc/PERFORMANCE.md):
// algbw = S / t, busbw = algbw x factor, t = the slowest rank's time of one operation. What S is stands in
// docs/metrics.md and beside each case.

/// all_reduce: 2(n-1)/n, the bytes over S that each rank has to send in an optimal algorithm without in-network sums.
[[nodiscard]] double factor_all_reduce(double n);
/// all_gather, reduce_scatter, all_to_all, gather, scatter: (n-1)/n.
[[nodiscard]] double factor_exchange(double n);
/// broadcast, reduce, send_recv: 1.
[[nodiscard]] double factor_one(double n);

/// Elements in each of `blocks` blocks for a total of `bytes`: rounded down to whole 16 bytes, on which NCCL works
/// best, or to whole elements where a block is smaller; at least 1.
[[nodiscard]] std::size_t block_elements(std::size_t bytes, std::size_t blocks, std::size_t element_bytes);

}  // namespace assay::nccl
