#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "analysis/gpu_members.hpp"

namespace assay {
namespace {

/// Fewer readings than this would not show a card that is slowed down now and then.
constexpr int least_moments = 3;

/// Everything that keeps all GPUs of a node busy at once.
std::vector<const SeriesSet*> load_sets(const JudgeContext& context) {
  std::vector<const SeriesSet*> sets;
  for (const char* name : {"gpu.gemm", "gpu.burn_in"}) {
    const auto found = context.series.matching({name, {{"gpus", "node"}}});
    sets.insert(sets.end(), found.begin(), found.end());
  }
  return sets;
}

void add(std::string& list, const std::string& member) { list += (list.empty() ? "" : "; ") + member; }

void judge(Verdict& verdict, const JudgeContext& context) {
  const auto sets = load_sets(context);
  std::vector<Finding> findings;
  std::string unknown;
  double least_seconds = std::numeric_limits<double>::infinity();
  std::string shortest;
  for (const auto& gpu : context.run.gpus) {
    const std::string member = describe_gpu(context.run, gpu);
    for (const std::string& way : held_back(context.run, context.catalogue, gpu, sets))
      findings.push_back({member, way});
    const GpuLoad load = load_of(context.run, gpu, sets);
    if (load.moments < least_moments || !(load.sm_clock > 0)) add(unknown, member + " under load");
    if (load.seconds < least_seconds) shortest = member;
    least_seconds = std::min(least_seconds, load.seconds);
  }
  if (context.run.gpus.empty()) {
    verdict.decide(Outcome::not_tested, "the inventory holds no GPU");
    return;
  }
  judge_findings(verdict, findings, unknown,
                 fmt::format("no power limit, clock or slowdown held a GPU back in {:.3g} s of load", least_seconds));
  verdict.measured = Figure{least_seconds, {least_seconds, least_seconds, 1}, 0, 0};
  if (verdict.outcome == Outcome::pass && least_seconds < verdict.clause.limit()) {
    verdict.decide(Outcome::inconclusive, fmt::format("{:.3g} s under load, {:.3g} s needed: heat comes late",
                                                      least_seconds, verdict.clause.limit()));
    verdict.member = shortest;
  }
}

const RegisterClause registered({
    .key = "gpu.not_held_back",
    .summary = "no lowered power limit, locked clock, thermal or hardware slowdown after so long under load",
    .dimension = Dimension::seconds,
    .derate_source = "time under load, all GPUs of a node at once, that the answer has to rest on",
    .question = "Who set this limit or clock and when is it taken off; or what is done about the heat or power supply?",
    .settled_by = {"gpu.(gemm|burn_in)", {{"gpus", "node"}}},
    .judge = judge,
});

}  // namespace
}  // namespace assay
