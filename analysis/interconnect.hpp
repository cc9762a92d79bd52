#pragma once

#include <string>
#include <vector>

#include "analysis/measurement.hpp"
#include "analysis/run_data.hpp"
#include "analysis/verdict.hpp"

namespace assay {

/// NICs and transports between nodes, and what slows them down. Pure.

/// True for "up", "ACTIVE", "4: ACTIVE".
[[nodiscard]] bool is_up(const results::NicRow& nic);

/// NICs of a node that GPUs' traffic may take: those with an RDMA device, each device once; without any, all NICs.
[[nodiscard]] std::vector<const results::NicRow*> fabric_nics(const RunData& run, int node);

/// Byte/s that they send together, the highest of all nodes; NaN when no rate is known.
[[nodiscard]] double best_nic_rate(const RunData& run);

/// "mlx5_3 on node2 is down", "mlx5_3 on node2 runs at 100 Gbit/s, others at 400 Gbit/s".
[[nodiscard]] std::vector<std::string> nic_faults(const RunData& run);

/// What NCCL says that it used between nodes.
enum class Transport { unknown, sockets, roce, infiniband, other };
[[nodiscard]] Transport transport_of(const std::string& method);
/// The same; NCCL's NET/IB is RoCE where all RDMA ports of the set's nodes are Ethernet.
[[nodiscard]] Transport transport_of(const RunData& run, const SeriesSet& set, const std::string& method);
/// Whether the NICs read and write device memory; only meaningful with RDMA.
[[nodiscard]] bool uses_gpu_direct(const std::string& method);

/// Sets of NCCL cases whose members sit on several nodes, and that say how they were done.
[[nodiscard]] std::vector<const SeriesSet*> network_sets(const JudgeContext& context);

/// The all-reduce sets that speak about a clause: `ranks` "node" or "all", the algorithm left free if it was measured
/// so (else a ring), one data type.
[[nodiscard]] std::vector<const SeriesSet*> all_reduce_sets(const JudgeContext& context, const Clause& clause,
                                                            const std::string& ranks);
[[nodiscard]] Pattern all_reduce_pattern(const std::string& ranks);

/// Why traffic between nodes is slow: sockets, NICs down or slow, no GPUDirect, one rail, one node or GPU in all slow
/// pairs. Empty when nothing can be named.
[[nodiscard]] std::string network_cause(const JudgeContext& context, const std::string& method);
/// Why traffic inside of a node is slow: links down, no peer access, one GPU in all slow pairs.
[[nodiscard]] std::string node_cause(const JudgeContext& context, int node, const std::string& method);

}  // namespace assay
