#include "analysis/selection.hpp"

namespace assay {
namespace {

ClauseInfo compute(const std::string& key, const std::string& dtype, const std::string& words) {
  const Pattern gemm{"host.gemm", {{"dtype", dtype}}};
  return {
      .key = key,
      .summary = "matrix multiplication in " + words + " on all cores of every node at once, largest size measured",
      .dimension = Dimension::flops_per_second,
      .derate = 0.85,
      .derate_source = "buyers' rule: below 85 % of the official figure is misrepresented",
      .question = "At which clock, power limit and CPU model was the advertised rate measured, and with which library?",
      .settled_by = gemm,
      .judge =
          [gemm](Verdict& verdict, const JudgeContext& context) {
            judge_per_node(verdict, context, gemm, "n");
            if (verdict.outcome != Outcome::pass) verdict.cause = compute_cause(context.run, verdict);
          },
  };
}

const RegisterClause fp64(compute("node.compute_fp64", "f64", "double precision"));
const RegisterClause fp32(compute("node.compute_fp32", "f32", "single precision"));

}  // namespace
}  // namespace assay
