#include <fmt/format.h>

#include <algorithm>

#include "analysis/expectation.hpp"
#include "analysis/gpu_members.hpp"
#include "analysis/interconnect.hpp"
#include "analysis/selection.hpp"

namespace assay {
namespace {

/// What the library chose for a measurement, from the first of its series that says so.
std::string method_of(const RunData& run, const Measurement& m) {
  for (const std::int64_t id : m.series) {
    const auto at =
        std::find_if(run.series.begin(), run.series.end(), [&](const auto& row) { return row.series == id; });
    if (at != run.series.end() && !at->method.empty()) return at->method;
  }
  return "";
}

std::string label(const RunData& run, const Measurement& m) { return run.describe(m.members) + ": " + m.name; }

const Measurement* worst_of(const Verdict& verdict, const RunData& run, const std::vector<Measurement>& figures) {
  const auto at = std::find_if(figures.begin(), figures.end(),
                               [&](const Measurement& m) { return verdict.member == label(run, m); });
  return at == figures.end() ? nullptr : &*at;
}

void refuse_impossible_in_node(const JudgeContext& context, Measurement& m) {
  const auto* gpu = context.run.gpu_of(m.members.front());
  const Product* product = gpu == nullptr ? nullptr : context.catalogue.find(gpu->name);
  if (product == nullptr) return;
  const int ranks = static_cast<int>(m.members.size());
  refuse_above(m, node_all_reduce_ceiling(context.catalogue, *product, *gpu, ranks), "the links of these GPUs allow");
}

void judge_node(Verdict& verdict, const JudgeContext& context) {
  auto sets = all_reduce_sets(context, verdict.clause, "node");
  // A run on one node measures its node as "all".
  if (sets.empty() && context.run.nodes.size() == 1) sets = all_reduce_sets(context, verdict.clause, "all");
  auto figures = measure_all(context, sets);
  for (Measurement& m : figures) refuse_impossible_in_node(context, m);
  judge_worst(verdict, figures, context.run, why_missing(context, verdict.clause, all_reduce_pattern("node")));
  if (figures.empty()) return;
  require_complete(verdict, missing_gpus(context.run, figures));
  const Measurement* worst = worst_of(verdict, context.run, figures);
  if (worst == nullptr) return;
  const std::string method = method_of(context.run, *worst);
  if (!method.empty()) verdict.notes.push_back("NCCL used " + method);
  if (falls_short(verdict)) verdict.cause = node_cause(context, context.run.node_of(worst->members.front()), method);
}

void judge_all(Verdict& verdict, const JudgeContext& context) {
  auto figures = measure_all(context, all_reduce_sets(context, verdict.clause, "all"));
  const double nics = best_nic_rate(context.run);
  for (Measurement& m : figures) {
    const int nodes = static_cast<int>(context.run.nodes_of(m.members).size());
    const int ranks = static_cast<int>(m.members.size());
    if (nodes == 1) refuse_impossible_in_node(context, m);
    refuse_above(m, cluster_all_reduce_ceiling(nics, ranks, nodes), "the NICs of a node allow");
  }
  judge_worst(verdict, figures, context.run, why_missing(context, verdict.clause, all_reduce_pattern("all")));
  if (figures.empty()) return;
  for (const Measurement& m : figures) require_complete(verdict, missing_gpus(context.run, {m}));
  const Measurement* worst = worst_of(verdict, context.run, figures);
  if (worst == nullptr) return;
  const std::string method = method_of(context.run, *worst);
  if (!method.empty()) verdict.notes.push_back("NCCL used " + method);
  if (!falls_short(verdict)) return;
  verdict.cause = network_cause(context, method);
  for (const auto& node : context.run.nodes) {
    const std::string inside = verdict.cause.empty() ? node_cause(context, node.node, "") : "";
    if (!inside.empty()) verdict.cause = inside;
  }
}

ClauseInfo all_reduce(const std::string& name, const std::string& words, const std::string& ranks,
                      const std::string& question, void (*judge)(Verdict&, const JudgeContext&)) {
  return {
      .key = "interconnect." + name,
      .summary = "bus bandwidth of NCCL's all-reduce over " + words + ", payloads of the given sizes",
      .dimension = Dimension::bytes_per_second,
      .value_name = "busbw",
      .sized = true,
      .derate = 0.85,
      .derate_source = "buyers' rule: below 85 % of the official figure is misrepresented",
      .question = question,
      .settled_by = all_reduce_pattern(ranks),
      .judge = judge,
  };
}

const RegisterClause in_node(all_reduce("all_reduce_node", "the GPUs of each node", "node",
                                        "Which link of this node is down or shared, and do its switches reduce (NVLS)?",
                                        judge_node));
const RegisterClause over_all(all_reduce("all_reduce_all", "all GPUs", "all",
                                         "Which NIC, rail or switch holds this back, and which transport is meant to "
                                         "be used?",
                                         judge_all));

}  // namespace
}  // namespace assay
