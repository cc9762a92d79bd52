#pragma once

#include "tests/emulator/nccl/shape.hpp"

namespace emulator::nccl {

/// How traffic goes over a medium: pipelined along a chain, in trees, through the reducing switch, or as single
/// messages.
enum class Pattern { ring, tree, nvls, nvls_tree, message };

/// Share of a segment's rate that the pattern turns into payload. Sources: one-node all-reduce of 8 GPUs: A100 ring
/// 235.7 of 300 GB/s (superbench-results), H100 ring 370 and NVLS 480 of 450 (nccl-tests issues; 480 * 8/14 * 9/8 =
/// 308.6 on the wire), B200 ring 695 and NVLS 845 of 900 (DGX B300); messages: 376 of 450 (ml-engineering). A tree
/// reaches 0.92 of a ring, the factor of NCCL's own tuning. NICs: `rate` is what large RDMA writes deliver, of which a
/// flat ring reaches 0.93 (24 GB/s per 200G NIC, nccl-tests#119), a hierarchical one 0.75 (4 x 8 B200: 381.8 of 517
/// GB/s).
double efficiency(Pattern pattern, Medium medium, int nvlink_generation);

/// Time of an empty operation without its hops [s]: launch, and the latency that NCCL's own work adds.
double base_latency(int nvlink_generation);
double nvls_latency(int nvlink_generation, int gpus);
/// Time that one more hop adds to a chain [s].
double hop_latency(const Hop& hop, int nvlink_generation);

}  // namespace emulator::nccl
