#include <fmt/format.h>

#include <set>

#include "analysis/comparison.hpp"

namespace assay {
namespace {

/// Nodes that ranks ran on: a node that only stands in the table delivered nothing.
void judge(Verdict& verdict, const JudgeContext& context) {
  std::set<int> used;
  for (const auto& rank : context.run.ranks) used.insert(rank.node);
  const double nodes = context.run.ranks.empty() ? -1 : static_cast<double>(used.size());
  judge_counted(verdict, {{"the whole run", nodes, "nodes missing from the host list, drained, or never delivered"}});
  if (context.partial && verdict.outcome == Outcome::fail) {
    verdict.in_scope = false;
    verdict.cause.clear();
    verdict.decide(Outcome::not_tested, fmt::format("only a part was rented for the trial (--partial): {} of {} nodes",
                                                    used.size(), verdict.clause.value));
  }
}

const RegisterClause registered({
    .key = "cluster.nodes",
    .summary = "nodes, all of them at work in the run",
    .dimension = Dimension::count,
    .derate_source = "counted, so no derate",
    .question = "Why are fewer nodes available than were sold, and from when on are the others there?",
    .judge = judge,
});

}  // namespace
}  // namespace assay
