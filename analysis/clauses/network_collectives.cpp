#include "analysis/comparison.hpp"
#include "analysis/selection.hpp"

namespace assay {
namespace {

/// Each size and type on its own, over all ranks at once; never a mean over sizes.
void judge(Verdict& verdict, const JudgeContext& context, const Pattern& pattern) {
  const auto measured = measure_all(context, select(context, verdict.clause, pattern));
  judge_worst(verdict, measured, context.run, why_missing(context, verdict.clause, pattern));
  for (const Measurement& m : measured) require_complete(verdict, missing_ranks(context.run, {m}));
  if (verdict.outcome != Outcome::pass) verdict.cause = transport_cause(context.run, context.run.nodes.size() > 1);
}

ClauseInfo collective(const std::string& name) {
  const Pattern pattern{"mpi." + name, {{"ranks", "all"}}};
  return {
      .key = "network." + name,
      .summary = "bus bandwidth of " + name + " over all ranks, payloads of the given sizes",
      .dimension = Dimension::bytes_per_second,
      .value_name = "busbw",
      .sized = true,
      .derate = 0.85,
      .derate_source = "buyers' rule: below 85 % of the official figure is misrepresented",
      .question =
          "What does the provider measure for " + name + " at this size and number of nodes, and with which settings?",
      .settled_by = pattern,
      .judge = [pattern](Verdict& verdict, const JudgeContext& context) { judge(verdict, context, pattern); },
  };
}

const RegisterClause all_reduce(collective("all_reduce"));
const RegisterClause all_gather(collective("all_gather"));
const RegisterClause reduce_scatter(collective("reduce_scatter"));
const RegisterClause all_to_all(collective("all_to_all"));
const RegisterClause broadcast(collective("broadcast"));

}  // namespace
}  // namespace assay
