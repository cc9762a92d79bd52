#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/verdict.hpp"

namespace assay {

/// Which series of a run speak about a clause. Pure.

/// Sets that match the pattern and, when the clause has sizes, whose `bytes` lie within them. A clause with a direction
/// takes only series of that direction (or of none recorded: these failed early).
[[nodiscard]] std::vector<const SeriesSet*> select(const JudgeContext& context, const Clause& clause,
                                                   const Pattern& pattern);

/// Of the sets, those with the largest value on an axis: the steady state, not the best of many.
[[nodiscard]] std::vector<const SeriesSet*> largest(const std::vector<const SeriesSet*>& sets, std::string_view axis);

[[nodiscard]] std::vector<Measurement> measure_all(const JudgeContext& context,
                                                   const std::vector<const SeriesSet*>& sets);

/// Why `select` found nothing: the case did not run, or not with these axes, sizes or direction.
[[nodiscard]] std::string why_missing(const JudgeContext& context, const Clause& clause, const Pattern& pattern);

/// "node2, node3": nodes of the run that no measurement has a rank on; empty when all have.
[[nodiscard]] std::string missing_nodes(const RunData& run, const std::vector<Measurement>& measurements);
/// The same for ranks: "ranks 2-3 on node2".
[[nodiscard]] std::string missing_ranks(const RunData& run, const std::vector<Measurement>& measurements);

/// One measurement per node, all nodes at work at once: the sets "ranks:node" of a run over several nodes, otherwise
/// the set "ranks:all" divided by its nodes. `pattern` comes without the axis `ranks`. Of several values on `size_axis`
/// only the largest counts.
[[nodiscard]] std::vector<Measurement> per_node(const JudgeContext& context, const Clause& clause,
                                                const Pattern& pattern, std::string_view size_axis);

/// Judges the worst node; nodes without a figure keep the clause from PASS.
void judge_per_node(Verdict& verdict, const JudgeContext& context, const Pattern& pattern, std::string_view size_axis);

/// CPUs (hardware threads) that a node grants the job: its cpuset and quota. NaN when not known.
[[nodiscard]] double granted_cpus(const results::NodeRow& node);
/// The same in physical cores, by the node's threads per core. NaN when not known.
[[nodiscard]] double granted_cores(const results::NodeRow& node);

/// Lines of the recorded environment that choose a transport ("UCX_TLS=tcp"), or that no RDMA device is visible for
/// members on several nodes. Empty when nothing can be named.
[[nodiscard]] std::string transport_cause(const RunData& run, bool across_nodes);

/// Quota, BLAS kernel, governor: what holds back a node's computing. Empty when nothing can be named.
[[nodiscard]] std::string compute_cause(const RunData& run, const Verdict& verdict);

}  // namespace assay
