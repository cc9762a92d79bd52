#include <algorithm>

#include "analysis/comparison.hpp"
#include "analysis/selection.hpp"

namespace assay {
namespace {

const Pattern all_pairs{"mpi.pairs", {}};

/// The full pair matrix and the single pair: each pair, each size on its own, the worst decides.
void judge(Verdict& verdict, const JudgeContext& context, const std::string& single_case) {
  std::vector<Measurement> measured;
  for (const Pattern& pattern : {all_pairs, Pattern{single_case, {}}}) {
    for (const Measurement& m : measure_all(context, select(context, verdict.clause, pattern))) {
      if (m.dimension == verdict.clause.dimension) measured.push_back(m);
    }
  }
  const Pattern named = context.series.matching(all_pairs).empty() ? Pattern{single_case, {}} : all_pairs;
  judge_worst(verdict, measured, context.run, why_missing(context, verdict.clause, named));
  if (!measured.empty()) require_complete(verdict, missing_nodes(context.run, measured));
  if (verdict.outcome != Outcome::pass) verdict.cause = transport_cause(context.run, context.run.nodes.size() > 1);
}

const RegisterClause bandwidth({
    .key = "network.pair_bandwidth",
    .summary = "rate between any two ranks (nodes first at scale), messages of the given sizes",
    .dimension = Dimension::bytes_per_second,
    .needs_direction = true,
    .sized = true,
    .derate = 0.85,
    .derate_source = "buyers' rule: below 85 % of the official figure is misrepresented",
    .question =
        "Which link, switch port or placement do these two nodes share, and which transport is meant to be used?",
    .settled_by = {"mpi.(pairs|bandwidth)", {}},
    .judge = [](Verdict& verdict, const JudgeContext& context) { judge(verdict, context, "mpi.bandwidth"); },
});

const RegisterClause latency({
    .key = "network.pair_latency",
    .summary = "half a round trip between any two ranks (nodes first at scale), messages of the given sizes",
    .dimension = Dimension::seconds,
    .sense = Sense::at_most,
    .sized = true,
    .derate = 0.85,
    .derate_source = "buyers' rule read for a time: more than 1/0.85 of the official figure is misrepresented",
    .question = "How many switches lie between these two nodes, and which transport is meant to be used?",
    .settled_by = {"mpi.(pairs|ping_pong)", {}},
    .judge = [](Verdict& verdict, const JudgeContext& context) { judge(verdict, context, "mpi.ping_pong"); },
});

}  // namespace
}  // namespace assay
