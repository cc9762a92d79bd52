#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/gpu_members.hpp"

namespace assay {
namespace {

/// What the card says of itself besides its name: a lower product under a false name has other parts.
std::string false_name(const results::GpuRow& gpu, const Product& product) {
  if (gpu.capability >= 0 && product.capability >= 0 && gpu.capability != product.capability) {
    return fmt::format("it calls itself {} but has compute capability {}.{}, a real one {}.{}", gpu.name,
                       gpu.capability / 10, gpu.capability % 10, product.capability / 10, product.capability % 10);
  }
  // A slice shows the processors of the slice; gpu.healthy names it.
  if (gpu.mig_enabled == 1 || gpu.multiprocessors < 0 || gpu.multiprocessors == product.multiprocessors) return "";
  return fmt::format("it calls itself {} but has {} multiprocessors, a real one {}", gpu.name, gpu.multiprocessors,
                     product.multiprocessors);
}

std::string wrong_model(const results::GpuRow& gpu, const Clause& clause, const Product* sold) {
  const bool named = sold == nullptr ? gpu.name == clause.text : sold->is_called(gpu.name);
  if (!named) return "it is a " + (gpu.name.empty() ? "card without a name" : gpu.name);
  return sold == nullptr ? "" : false_name(gpu, *sold);
}

void judge(Verdict& verdict, const JudgeContext& context) {
  const Product* sold = context.catalogue.find(verdict.clause.text);
  std::vector<Finding> findings;
  std::map<std::string, int> names;
  std::string unknown;
  for (const auto& gpu : context.run.gpus) {
    ++names[gpu.name];
    if (gpu.name.empty()) unknown += (unknown.empty() ? "" : "; ") + describe_gpu(context.run, gpu);
    const std::string wrong = gpu.name.empty() ? "" : wrong_model(gpu, verdict.clause, sold);
    if (!wrong.empty()) findings.push_back({describe_gpu(context.run, gpu), wrong});
  }
  if (context.run.gpus.empty()) {
    verdict.decide(Outcome::not_tested, "the inventory holds no GPU");
    return;
  }
  for (const auto& [name, count] : names) {
    verdict.found += fmt::format("{}{} x {}", verdict.found.empty() ? "" : ", ", count, name.empty() ? "?" : name);
  }
  judge_findings(verdict, findings, unknown, fmt::format("all {} GPUs are of this model", context.run.gpus.size()));
  if (verdict.outcome == Outcome::fail) {
    verdict.reason += fmt::format("; {} of {} GPUs are not what was sold", findings.size(), context.run.gpus.size());
  }
  if (sold == nullptr) verdict.notes.emplace_back("the catalogue does not know this model: only names were compared");
}

const RegisterClause registered({
    .key = "gpu.model",
    .summary = "product of every GPU: the whole name that the driver reports, or the catalogue's id",
    .form = Form::text,
    .derate_source = "exact name, compute capability and number of multiprocessors",
    .question = "Which product is fitted in these nodes, by its part number, and since when?",
    .contradiction = [](const Clause& clause, const Product* product, const Catalogue&) -> std::string {
      if (product != nullptr) return "";
      return "the catalogue knows no '" + clause.text + "': figures cannot be held against a data sheet";
    },
    .judge = judge,
});

}  // namespace
}  // namespace assay
