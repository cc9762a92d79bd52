#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/expectation.hpp"
#include "analysis/gpu_members.hpp"
#include "analysis/pair_effects.hpp"
#include "analysis/selection.hpp"

namespace assay {
namespace {

const Pattern peer_copy{"gpu.peer_copy", {}};

/// Copy engines fill a link best; copies by kernels stand in where these were not measured.
std::vector<const SeriesSet*> copies(const JudgeContext& context, const Clause& clause) {
  for (const char* by : {"copy_engine", "sm"}) {
    Pattern pattern = peer_copy;
    pattern.axes.emplace_back("by", by);
    auto sets = largest(select(context, clause, pattern), "bytes");
    if (!sets.empty()) return sets;
  }
  return {};
}

std::string links_of(const results::GpuRow* gpu) {
  if (gpu == nullptr || gpu->nvlinks < 0 || gpu->nvlinks_active < 0) return "";
  if (gpu->nvlinks_active >= gpu->nvlinks) return "";
  return fmt::format(": {} of its {} NVLinks are up", gpu->nvlinks_active, gpu->nvlinks);
}

/// The driver says that the two cards of a pair cannot reach each other's memory.
bool refused(const Measurement& m) {
  return m.evidence == Evidence::failed && m.problem.find("peer access") != std::string::npos;
}

/// One card in all slow pairs is named instead of fourteen pairs; the pairs of each node on their own.
std::string common_cause(const RunData& run, const std::vector<Measurement>& figures) {
  std::string text;
  for (const auto& node : run.nodes) {
    std::vector<PairFigure> pairs;
    for (const Measurement& m : figures) {
      if (m.members.size() != 2 || run.node_of(m.members[0]) != node.node) continue;
      if (m.value > 0 || refused(m)) pairs.push_back({m.members[0], m.members[1], m.value > 0 ? m.value : 0});
    }
    for (const SlowMember& slow : diagnose_pairs(pairs).members) {
      text += fmt::format("{}{} is in {} slow pairs of {} with it, {:.0f} % of a typical pair{}",
                          text.empty() ? "" : "; ", describe_gpu_of(run, slow.member), slow.slow, slow.pairs,
                          100 * slow.share, links_of(run.gpu_of(slow.member)));
    }
  }
  return text;
}

/// Links that are down, or that do not reach, on the two cards of the worst pair.
std::string pair_cause(const RunData& run, const Measurement& worst) {
  std::string text;
  for (const int rank : worst.members) {
    const std::string links = links_of(run.gpu_of(rank));
    if (!links.empty()) text += (text.empty() ? "" : "; ") + describe_gpu_of(run, rank) + links;
  }
  return text;
}

void judge(Verdict& verdict, const JudgeContext& context) {
  auto figures = measure_all(context, copies(context, verdict.clause));
  for (Measurement& m : figures) {
    m.who = describe_gpus_of(context.run, m.members);
    const auto* gpu = context.run.gpu_of(m.members.front());
    const Product* product = gpu == nullptr ? nullptr : context.catalogue.find(gpu->name);
    if (product != nullptr)
      refuse_above(m, nvlink_ceiling(*product, verdict.clause.direction), "all links of this card carry");
  }
  judge_worst(verdict, figures, context.run, why_missing(context, verdict.clause, peer_copy));
  if (figures.empty()) return;
  require_complete(verdict, missing_gpus(context.run, figures));
  const auto closed = std::find_if(figures.begin(), figures.end(), refused);
  if (closed != figures.end() && verdict.outcome == Outcome::not_tested) {
    verdict.decide(Outcome::fail, closed->problem);
    verdict.member = closed->who + ": " + closed->name;
    verdict.evidence = closed->series;
  } else if (!falls_short(verdict)) {
    return;
  }
  verdict.cause = common_cause(context.run, figures);
  for (const Measurement& m : figures) {
    if (verdict.cause.empty() && verdict.member.starts_with(m.who + ":")) verdict.cause = pair_cause(context.run, m);
  }
}

const RegisterClause registered({
    .key = "gpu.nvlink_bandwidth",
    .summary = "copies between every two GPUs of a node over NVLink, the worst pair",
    .dimension = Dimension::bytes_per_second,
    .needs_direction = true,
    .derate = 0.90,
    .derate_source = "floors of public node checks lie at 0.74 to 0.78 of the links' rate",
    .question = "Which NVLinks or switches of this node are down, and is its fabric manager running?",
    .settled_by = peer_copy,
    .expect = [](Clause& clause, const Product& product,
                 const Catalogue& catalogue) { expect(clause, expect_nvlink(product, catalogue, clause.direction)); },
    .contradiction = [](const Clause& clause, const Product* product, const Catalogue& catalogue) -> std::string {
      if (product == nullptr) return "";
      if (product->nvlinks == 0) return fmt::format("a {} has no NVLink", product->names.front());
      return above_sheet(clause, expect_nvlink(*product, catalogue, clause.direction).sheet,
                         clause.direction == Direction::one_way ? "that is both directions together" : "");
    },
    .judge = judge,
});

}  // namespace
}  // namespace assay
