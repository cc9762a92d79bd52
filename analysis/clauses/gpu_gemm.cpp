#include <fmt/format.h>

#include <cmath>

#include "analysis/expectation.hpp"
#include "analysis/gpu_members.hpp"

namespace assay {
namespace {

/// Both shares, so that nobody has to take the model's healthy figure on trust.
void note_shares(Verdict& verdict, const JudgeContext& context, const std::string& dtype) {
  if (!verdict.measured || context.model == nullptr) return;
  const Expectation expected = expect_gemm(*context.model, dtype);
  if (!(expected.sheet > 0)) return;
  verdict.notes.push_back(fmt::format(
      "the worst GPU reaches {:.1f} % of the data sheet's {} and {:.1f} % of what healthy ones reach, {} ({})",
      100 * verdict.measured->value / expected.sheet, format_quantity(expected.sheet, Dimension::flops_per_second),
      100 * verdict.measured->value / expected.healthy, format_quantity(expected.healthy, Dimension::flops_per_second),
      expected.source));
}

void judge(Verdict& verdict, const JudgeContext& context, const std::string& dtype) {
  judge_each_gpu(
      verdict, context,
      {.pattern = {"gpu.gemm", {{"dtype", dtype}}},
       .size_axis = "n",
       .ceiling = [&](const Product& product, const results::GpuRow& gpu) { return gemm_ceiling(product, gpu, dtype); },
       .ceiling_words = "this card's peak at its highest clock is"});
  note_shares(verdict, context, dtype);
  if (context.model == nullptr && !context.run.gpus.empty())
    verdict.notes.emplace_back("the catalogue does not know the model: judged by the offer's number alone");
}

std::string contradiction(const Clause& clause, const Product* product, const std::string& dtype,
                          const std::string& words) {
  if (product == nullptr) return "";
  const double sheet = product->peak(dtype);
  if (std::isnan(sheet)) return fmt::format("a {} does not compute in {}", product->names.front(), words);
  return above_sheet(clause, sheet, "that is the figure with 2:4 sparsity, which no dense product reaches");
}

ClauseInfo gemm(const std::string& name, const std::string& dtype, const std::string& words) {
  return {
      .key = "gpu.gemm_" + name,
      .summary = "matrix multiplication in " + words + " of every GPU, all GPUs of a node at once",
      .dimension = Dimension::flops_per_second,
      .derate = 0.85,
      .derate_source = "buyers' rule: below 85 % of the official figure is misrepresented",
      .question = "At which power limit and clock do these cards run, and what does the provider measure on them?",
      .settled_by = {"gpu.gemm", {{"dtype", dtype}}},
      .expect = [dtype](Clause& clause, const Product& product,
                        const Catalogue&) { expect(clause, expect_gemm(product, dtype)); },
      .contradiction = [dtype, words](const Clause& clause, const Product* product,
                                      const Catalogue&) { return contradiction(clause, product, dtype, words); },
      .judge = [dtype](Verdict& verdict, const JudgeContext& context) { judge(verdict, context, dtype); },
  };
}

const RegisterClause fp64(gemm("fp64", "f64", "fp64"));
const RegisterClause fp32(gemm("fp32", "f32", "fp32"));
const RegisterClause tf32(gemm("tf32", "tf32", "tf32"));
const RegisterClause bf16(gemm("bf16", "bf16", "bf16"));
const RegisterClause fp16(gemm("fp16", "f16", "fp16"));
const RegisterClause fp8(gemm("fp8", "f8", "fp8"));
const RegisterClause int8(gemm("int8", "i8", "int8"));

}  // namespace
}  // namespace assay
