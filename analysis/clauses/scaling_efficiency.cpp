#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "analysis/comparison.hpp"
#include "analysis/selection.hpp"

namespace assay {
namespace {

const Pattern one_core{"host.gemm", {{"dtype", "f64"}, {"ranks", "one"}}};
const Pattern each_node{"host.gemm", {{"dtype", "f64"}, {"ranks", "node"}}};
const Pattern all_ranks{"host.gemm", {{"dtype", "f64"}, {"ranks", "all"}}};

/// The same work cannot run more than this much faster on n cores than n times one core: the base or a count is wrong.
constexpr double most_efficiency = 1.3;

std::vector<Measurement> gemm(const JudgeContext& context, const Clause& clause, const Pattern& pattern) {
  return measure_all(context, largest(select(context, clause, pattern), "n"));
}

double cores_on(const RunData& run, const std::vector<int>& nodes) {
  double cores = 0;
  for (const auto& node : run.nodes) {
    if (std::find(nodes.begin(), nodes.end(), node.node) != nodes.end()) cores += granted_cores(node);
  }
  return cores;
}

/// A figure brought down to one core.
struct Base {
  Measurement measurement;
  double cores = 1;
  [[nodiscard]] double per_core() const { return measurement.value / cores; }
};

/// The fastest core seen: rank 0's alone, or the best node's share, so that a slow first node cannot flatter the rest.
Base best_base(const RunData& run, const Measurement& one, const std::vector<Measurement>& nodes) {
  Base best{one, 1};
  for (const Measurement& node : nodes) {
    const Base candidate{node, cores_on(run, run.nodes_of(node.members))};
    if (candidate.per_core() > best.per_core()) best = candidate;
  }
  return best;
}

/// Against what the offer says that all nodes together compute.
std::optional<Measurement> against_offer(const JudgeContext& context, const Measurement& all) {
  const Clause* compute = context.offer.find("node.compute_fp64");
  if (compute == nullptr) return std::nullopt;
  const Clause* sold = context.offer.find("cluster.nodes");
  const double found = static_cast<double>(context.run.nodes_of(all.members).size());
  const double nodes = sold != nullptr && !context.partial ? std::max(found, sold->value) : found;
  Measurement advertised = all;
  advertised.value = compute->value;
  advertised.interval = {compute->value, compute->value, 1};
  return ratio_of(all, advertised, nodes, fmt::format("all nodes / ({:.0f} x advertised compute)", nodes));
}

void judge(Verdict& verdict, const JudgeContext& context) {
  const auto one = gemm(context, verdict.clause, one_core);
  const auto nodes = gemm(context, verdict.clause, each_node);
  const auto all = gemm(context, verdict.clause, all_ranks);
  if (one.empty() || all.empty()) {
    verdict.decide(Outcome::not_tested, why_missing(context, verdict.clause, one.empty() ? one_core : all_ranks));
    return;
  }
  const Measurement& whole = all.front();
  const double cores = cores_on(context.run, context.run.nodes_of(whole.members));
  if (!(cores > 0)) {
    verdict.decide(Outcome::not_tested, "the inventory does not know how many cores the nodes grant");
    return;
  }
  const Base base = best_base(context.run, one.front(), nodes);
  std::vector<Measurement> efficiencies{
      ratio_of(whole, base.measurement, cores / base.cores,
               fmt::format("all {:.3g} cores / own base ({})", cores, context.run.describe(base.measurement.members)))};
  Measurement& own = efficiencies.front();
  if (own.evidence == Evidence::valid && own.interval.low > most_efficiency) {
    own.evidence = Evidence::invalid;
    own.problem =
        fmt::format("an efficiency of {:.2f} cannot be: the base was disturbed or a count is wrong", own.value);
  }
  if (auto offered = against_offer(context, whole)) {
    efficiencies.push_back(*offered);
  } else {
    verdict.notes.emplace_back("the offer has no node.compute_fp64: judged against its own base only");
  }
  judge_worst(verdict, efficiencies, context.run, "");
  require_complete(verdict, missing_nodes(context.run, all));
  for (const Measurement& m : efficiencies) verdict.notes.push_back(fmt::format("{}: {:.1f} %", m.name, 100 * m.value));
  for (const Measurement& node : nodes) {
    const double share = node.value / (one.front().value * cores_on(context.run, context.run.nodes_of(node.members)));
    verdict.notes.push_back(fmt::format("1 rank -> {}: {:.1f} %", context.run.describe(node.members), 100 * share));
  }
}

const RegisterClause registered({
    .key = "scaling.efficiency",
    .summary = "fp64 matrix multiplication, 1 core -> node -> all nodes: against the offer and against its own base",
    .dimension = Dimension::ratio,
    .derate = 0.85,
    .derate_source = "weak-scaling floor of acceptance suites, 0.85 of linear",
    .question = "What holds the nodes back when all of them work at once: power, cooling, shared hosts?",
    .settled_by = {"host.gemm", {{"dtype", "f64"}}},
    .judge = judge,
});

}  // namespace
}  // namespace assay
