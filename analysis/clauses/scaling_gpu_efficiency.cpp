#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "analysis/gpu_members.hpp"
#include "analysis/interconnect.hpp"
#include "analysis/offer_check.hpp"
#include "analysis/selection.hpp"

namespace assay {
namespace {

constexpr std::pair<const char*, const char*> types[] = {
    {"bf16", "gpu.gemm_bf16"}, {"f16", "gpu.gemm_fp16"}, {"f32", "gpu.gemm_fp32"}, {"f64", "gpu.gemm_fp64"}};

/// Figures of every GPU while all work, and of each alone, of one data type.
struct Compute {
  std::string dtype;
  std::string key;  ///< of the clause that sells it
  std::vector<Measurement> at_once;
  std::vector<Measurement> alone;
};

Compute compute(const JudgeContext& context, const Clause& clause) {
  for (const auto& [dtype, key] : types) {
    const Pattern pattern{"gpu.gemm", {{"dtype", dtype}}};
    Compute found{dtype, key, each_gpu(context, all_gpus_at_once(context, clause, pattern, "n")), {}};
    if (found.at_once.empty()) continue;
    auto sets = context.series.matching(pattern);
    std::erase_if(sets,
                  [](const SeriesSet* set) { return !set->point.has("gpus") || set->point.get("gpus") == "node"; });
    found.alone = each_gpu(context, largest(sets, "n"));
    return found;
  }
  return {};
}

/// All GPUs together.
Measurement total(const std::vector<Measurement>& members) {
  Measurement sum = members.front();
  for (std::size_t i = 1; i < members.size(); ++i) {
    const Measurement& m = members[i];
    sum.value += m.value;
    sum.interval.low += m.interval.low;
    sum.interval.high += m.interval.high;
    sum.epochs = std::min(sum.epochs, m.epochs);
    sum.disturbed_epochs = std::max(sum.disturbed_epochs, m.disturbed_epochs);
    sum.members.insert(sum.members.end(), m.members.begin(), m.members.end());
    sum.series.insert(sum.series.end(), m.series.begin(), m.series.end());
    if (sum.evidence == Evidence::valid && m.evidence != Evidence::valid) {
      sum.evidence = m.evidence;
      sum.problem = m.problem;
    }
  }
  std::sort(sum.members.begin(), sum.members.end());
  sum.who.clear();
  return sum;
}

/// The fastest GPU, alone or at work with all others: a slow one cannot flatter the rest.
const Measurement& fastest(const Compute& compute) {
  const auto faster = [](const Measurement& a, const Measurement& b) { return a.value < b.value; };
  const auto at_once = std::max_element(compute.at_once.begin(), compute.at_once.end(), faster);
  const auto alone = std::max_element(compute.alone.begin(), compute.alone.end(), faster);
  return alone == compute.alone.end() || alone->value < at_once->value ? *at_once : *alone;
}

Measurement exactly(Measurement like, double value) {
  like.evidence = Evidence::valid;
  like.value = value;
  like.interval = {value, value, 1};
  return like;
}

/// GPUs that were sold: nodes x GPUs; those found where the offer does not say, or only a part was rented.
double sold_gpus(const JudgeContext& context, std::size_t found) {
  const Clause* count = context.offer.find("gpu.count");
  const Clause* nodes = context.offer.find("cluster.nodes");
  const auto at_work = static_cast<double>(found);
  if (count == nullptr || context.partial) return at_work;
  const double on_nodes = nodes != nullptr ? nodes->value : static_cast<double>(context.run.nodes.size());
  return std::max(at_work, count->value * on_nodes);
}

void add_compute(const JudgeContext& context, const Compute& compute, std::vector<Measurement>& out) {
  const Measurement all = total(compute.at_once);
  const auto gpus = static_cast<double>(compute.at_once.size());
  out.push_back(
      ratio_of(all, fastest(compute), gpus,
               fmt::format("{} products of {:.0f} GPUs / own base ({})", compute.dtype, gpus, fastest(compute).who)));
  const Clause* sold = context.offer.find(compute.key);
  if (sold == nullptr) return;
  const Clause clause = expected(*sold, builtin_clauses(), context.model, context.catalogue);
  const double count = sold_gpus(context, compute.at_once.size());
  out.push_back(ratio_of(all, exactly(all, clause.reference()), count,
                         fmt::format("{} products / ({:.0f} GPUs x the offer's)", compute.dtype, count)));
}

/// Figure of the slowest set at the largest payload that lies within the clause's sizes.
std::optional<Measurement> slowest(const JudgeContext& context, const Clause& clause, const std::string& ranks) {
  const auto sets = largest(all_reduce_sets(context, clause, ranks), "bytes");
  std::optional<Measurement> worst;
  for (Measurement& m : measure_all(context, sets)) {
    if (!worst || m.value < worst->value) worst = std::move(m);
  }
  return worst;
}

/// All-reduce over all nodes / in one node, against the same quotient of the offer.
void add_all_reduce(Verdict& verdict, const JudgeContext& context, std::vector<Measurement>& out) {
  const Clause* sold_all = context.offer.find("interconnect.all_reduce_all");
  const Clause* sold_node = context.offer.find("interconnect.all_reduce_node");
  if (context.run.nodes.size() < 2 || sold_all == nullptr || sold_node == nullptr) return;
  const auto all = slowest(context, *sold_all, "all");
  const auto node = slowest(context, *sold_node, "node");
  if (!all || !node) {
    verdict.notes.emplace_back("all-reduce was not measured both in a node and over all");
    return;
  }
  const double sold = sold_all->value / sold_node->value;
  out.push_back(
      ratio_of(*all, *node, sold, fmt::format("all-reduce over all nodes / (in a node x {:.2f} as offered)", sold)));
}

void judge(Verdict& verdict, const JudgeContext& context) {
  const Compute found = compute(context, verdict.clause);
  std::vector<Measurement> efficiencies;
  if (!found.at_once.empty()) add_compute(context, found, efficiencies);
  add_all_reduce(verdict, context, efficiencies);
  if (found.at_once.empty() || found.alone.empty()) {
    verdict.decide(Outcome::not_tested, "gpu.gemm was not measured both on one GPU alone and on all at once");
    return;
  }
  judge_worst(verdict, efficiencies, context.run, "");
  require_complete(verdict, missing_gpus(context.run, found.at_once));
  for (const Measurement& m : efficiencies) verdict.notes.push_back(fmt::format("{}: {:.1f} %", m.name, 100 * m.value));
  if (falls_short(verdict) && verdict.member.find("all-reduce") != std::string::npos)
    verdict.cause = network_cause(context, "");
}

const RegisterClause registered({
    .key = "scaling.gpu_efficiency",
    .summary = "1 GPU -> node -> all: matrix products and all-reduce, against the offer and against its own base",
    .dimension = Dimension::ratio,
    .derate = 0.85,
    .derate_source = "weak-scaling floor of acceptance suites, 0.85 of linear",
    .question = "What holds the GPUs or the network back when all of them work at once: power, cooling, shared links?",
    .settled_by = {"gpu.gemm", {}},
    .judge = judge,
});

}  // namespace
}  // namespace assay
