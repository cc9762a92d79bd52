#pragma once

#include <vector>

#include "analysis/locate/pair_matrix.hpp"
#include "analysis/run_data.hpp"

namespace assay::locate {

/// Hosts and NICs of the record. A NIC is called by its RDMA device where it has one.
[[nodiscard]] Names names_of(const RunData& run);

/// The matrices that a run holds, in the order of their first series:
///   pairs    every case with an axis `round` and sets of two ranks (mpi.pairs, nccl.pairs, gpu.peer_copy, ...), or of
///   two
///            nodes whose ranks of equal GPU number are partners (nccl.pairs/level:node): one
///            matrix for each point without its axes `round` and `from`. Axes `way:one` with `from` (the rank that
///            initiates) and `op` (write, read) make the rows directed. An axis `nic` (and `peer_nic`) names the NIC of
///            the lower (upper) rank, by name or number; else it is the one nearest to the rank's GPU. Host memory
///            over MPI (mpi.*, not mpi.gpu*) has ranks without GPU and NIC for ends.
///   single   gpu.gemm, gpu.memory and gpu.host_copy: each GPU's own figure, matrices for `gpus:node` (all at once)
///            and for the GPUs one after the other.
/// The cost of an epoch is the median over its iterations, as a verdict takes it. Series that failed, brought wrong
/// data, verified nothing or hold no sound time are left out: they are for the judge.
/// Cost: O(samples + series).
[[nodiscard]] std::vector<PairMatrix> pair_matrices(const RunData& run);

}  // namespace assay::locate
