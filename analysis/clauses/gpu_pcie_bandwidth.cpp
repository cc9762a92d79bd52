#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/expectation.hpp"
#include "analysis/gpu_members.hpp"
#include "analysis/selection.hpp"
#include "core/statistics.hpp"

namespace assay {
namespace {

const Pattern near_copies{"gpu.host_copy", {{"numa", "near"}}};

/// One GPU at a time or all at once: a link is judged where the card does not have to share host memory.
std::vector<const SeriesSet*> copies(const JudgeContext& context, const Clause& clause) {
  std::vector<const SeriesSet*> chosen;
  for (const char* way : {"to_device", "to_host", "both"}) {
    Pattern pattern = near_copies;
    pattern.axes.emplace_back("way", way);
    auto sets = select(context, clause, pattern);
    std::vector<const SeriesSet*> alone = sets;
    std::erase_if(alone,
                  [](const SeriesSet* set) { return !set->point.has("gpus") || set->point.get("gpus") == "node"; });
    sets = largest(alone.empty() ? sets : alone, "bytes");
    chosen.insert(chosen.end(), sets.begin(), sets.end());
  }
  return chosen;
}

/// The link as it was while it worked: an idle one shows Gen1.
std::string link_cause(const JudgeContext& context, const results::GpuRow& gpu) {
  const Product* product = context.catalogue.find(gpu.name);
  const int lanes = product == nullptr ? gpu.pcie_width_max : product->pcie_lanes;
  const int generation = product == nullptr ? gpu.pcie_generation_max : product->pcie_generation;
  const int width =
      std::min(gpu.pcie_width < 0 ? lanes : gpu.pcie_width, gpu.pcie_width_max < 0 ? lanes : gpu.pcie_width_max);
  if (width < lanes) return fmt::format("its link has {} of {} lanes", width, lanes);
  if (gpu.pcie_generation_max > 0 && gpu.pcie_generation_max < generation)
    return fmt::format("its link runs at PCIe {} at most, the card can do {}", gpu.pcie_generation_max, generation);
  double reached = -1;
  const auto at = context.run.gpu_moments.find({gpu.node, gpu.gpu});
  if (at != context.run.gpu_moments.end()) {
    for (const GpuMoment& moment : at->second) {
      if (moment.pcie_generation > reached) reached = moment.pcie_generation;
    }
  }
  if (reached > 0 && reached < generation)
    return fmt::format("its link never ran faster than PCIe {:.0f}, the card can do {}", reached, generation);
  return gpu.foreign_processes > 0 ? fmt::format("{} foreign processes on the card", gpu.foreign_processes) : "";
}

/// Cards may share a switch and its way to the host: slow together, while all copy, is then no fault of their links.
bool may_be_sharing(const std::vector<Measurement>& figures, const Verdict& verdict) {
  constexpr double alike = 0.85;
  std::vector<double> values;
  for (const Measurement& m : figures) {
    if (m.name.find("gpus:node") == std::string::npos) return false;
    if (verdict.member.ends_with(m.name)) values.push_back(m.value);
  }
  return values.size() > 1 && verdict.measured && verdict.measured->value >= alike * median(values);
}

void judge(Verdict& verdict, const JudgeContext& context) {
  const Direction direction = verdict.clause.direction;
  auto figures = each_gpu(context, copies(context, verdict.clause));
  for (Measurement& m : figures) {
    const auto* gpu = context.run.gpu_of(m.members.front());
    if (gpu == nullptr) continue;
    refuse_above(m, pcie_ceiling(context.catalogue, *gpu, direction),
                 fmt::format("PCIe {} x{} carries", gpu->pcie_generation_max, gpu->pcie_width_max));
  }
  judge_worst(verdict, figures, context.run, why_missing(context, verdict.clause, near_copies));
  if (figures.empty()) return;
  require_complete(verdict, missing_gpus(context.run, figures));
  if (!falls_short(verdict)) return;
  for (const Measurement& m : figures) {
    const auto* gpu = context.run.gpu_of(m.members.front());
    if (gpu != nullptr && verdict.member.starts_with(m.who) && verdict.cause.empty())
      verdict.cause = link_cause(context, *gpu);
  }
  if (verdict.outcome == Outcome::fail && verdict.cause.empty() && may_be_sharing(figures, verdict)) {
    verdict.decide(Outcome::inconclusive, verdict.reason +
                                              "; but all GPUs copied at once, and they may share a way to "
                                              "the host: measure each alone");
  }
}

const RegisterClause registered({
    .key = "gpu.pcie_bandwidth",
    .summary = "pinned copies between the near NUMA node and every GPU, each way (or both ways together)",
    .dimension = Dimension::bytes_per_second,
    .needs_direction = true,
    .derate = 0.90,
    .derate_source = "healthy slots differ by 10 %; floors of public node checks lie at 0.68 to 0.76 of the link",
    .question =
        "How many lanes of which PCIe generation reach this slot, through which switches, with which IOMMU setting?",
    .settled_by = near_copies,
    .expect = [](Clause& clause, const Product& product,
                 const Catalogue& catalogue) { expect(clause, expect_pcie(product, catalogue, clause.direction)); },
    .contradiction = [](const Clause& clause, const Product* product, const Catalogue& catalogue) -> std::string {
      if (product == nullptr) return "";
      return above_sheet(clause, expect_pcie(*product, catalogue, clause.direction).sheet,
                         "that is both directions together");
    },
    .judge = judge,
});

}  // namespace
}  // namespace assay
