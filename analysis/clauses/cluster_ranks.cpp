#include "analysis/comparison.hpp"

namespace assay {
namespace {

void judge(Verdict& verdict, const JudgeContext& context) {
  // The table, not the attribute: ranks that are there have a row.
  const double ranks = context.run.ranks.empty() ? -1 : static_cast<double>(context.run.ranks.size());
  judge_counted(verdict,
                {{"the whole run", ranks, "the launcher started fewer processes, or each as a run of its own"}});
}

const RegisterClause registered({
    .key = "cluster.ranks",
    .summary = "ranks that the run has to have: guards against a launcher that starts single processes",
    .dimension = Dimension::count,
    .derate_source = "counted, so no derate",
    .question = "How are jobs of this many ranks to be started here?",
    .judge = judge,
});

}  // namespace
}  // namespace assay
