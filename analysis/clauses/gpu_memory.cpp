#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "analysis/gpu_members.hpp"
#include "analysis/selection.hpp"

namespace assay {
namespace {

/// The driver and the contexts of MPI, NCCL and this program take 1 to 4 % of what is reported.
constexpr double least_allocatable = 0.93;

const Pattern capacity{"gpu.capacity", {{"gpus", "node"}}};

/// Bytes that the members of a set could allocate, on average: the least over the sound epochs; NaN without one. The
/// case knows the sum only.
double allocatable(const SeriesSet& set) {
  double least = std::numeric_limits<double>::quiet_NaN();
  for (const results::SeriesRow* row : set.rows) {
    if (row->status != "ok" || row->checked <= 0 || row->ranks < 1) continue;
    least = std::fmin(least, row->work / row->ranks);
  }
  return least;
}

std::string cause_of(const results::GpuRow& gpu) {
  if (gpu.mig_enabled == 1) return "the card is partitioned (MIG)";
  std::string text;
  if (static_cast<double>(gpu.memory_used_bytes) > (1 - least_allocatable) * static_cast<double>(gpu.memory_bytes))
    text = format_quantity(static_cast<double>(gpu.memory_used_bytes), Dimension::bytes) +
           " were in use before the run began";
  if (gpu.foreign_processes > 0)
    text += fmt::format("{}{} foreign processes on the card", text.empty() ? "" : ", ", gpu.foreign_processes);
  return text;
}

void fail(Verdict& verdict, double bytes, const std::string& words, const std::string& member,
          const std::string& cause) {
  verdict.decide(Outcome::fail,
                 fmt::format("only {} {}, {} needed", format_quantity(bytes, Dimension::bytes), words,
                             format_quantity(least_allocatable * verdict.clause.limit(), Dimension::bytes)));
  verdict.measured = Figure{bytes, {bytes, bytes, 1}, 0, 0};
  verdict.member = member;
  verdict.cause = cause;
}

/// The one member that the inventory knows a reason of, else all.
std::pair<std::string, std::string> suspect(const RunData& run, const std::vector<int>& members) {
  for (const int rank : members) {
    const auto* gpu = run.gpu_of(rank);
    if (gpu != nullptr && !cause_of(*gpu).empty()) return {describe_gpu(run, *gpu), cause_of(*gpu)};
  }
  if (members.size() == 1) return {describe_gpu_of(run, members.front()), ""};
  return {run.describe(members), "the figure is the mean of these GPUs: measure each alone to find the one"};
}

/// Memory that others hold, that could not be allocated, or that does not keep what is written.
void judge_use(Verdict& verdict, const JudgeContext& context, const std::vector<const SeriesSet*>& sets) {
  const double least = least_allocatable * verdict.clause.limit();
  for (const auto& gpu : context.run.gpus) {
    const auto unused = static_cast<double>(gpu.memory_bytes - gpu.memory_used_bytes);
    if (verdict.outcome == Outcome::fail || gpu.memory_bytes < 0 || gpu.memory_used_bytes < 0 || unused >= least)
      continue;
    fail(verdict, unused, "were free when the run began", describe_gpu(context.run, gpu), cause_of(gpu));
  }
  for (const SeriesSet* set : sets) {
    const double bytes = allocatable(*set);
    if (verdict.outcome == Outcome::fail || !(bytes < least)) continue;
    const auto [member, cause] = suspect(context.run, set->members);
    fail(verdict, bytes, "could be allocated", member, cause);
  }
  for (const SeriesSet* set : sets) {
    for (const Measurement& m : measure_members(context.run, *set)) {
      if (m.evidence != Evidence::wrong_data) continue;
      verdict.decide(Outcome::fail, m.problem);
      verdict.member = describe_gpu_of(context.run, m.members.front());
      verdict.evidence = m.series;
      verdict.cause = "memory does not hold what was written";
      return;
    }
  }
}

void judge(Verdict& verdict, const JudgeContext& context) {
  std::vector<Counted> members;
  for (const auto& gpu : context.run.gpus)
    members.push_back({describe_gpu(context.run, gpu), static_cast<double>(gpu.memory_bytes), cause_of(gpu)});
  judge_counted(verdict, members);
  if (context.run.gpus.empty()) verdict.decide(Outcome::not_tested, "the inventory holds no GPU");
  const auto sets = context.series.matching({"gpu.capacity", {}});
  judge_use(verdict, context, sets);
  double least = std::numeric_limits<double>::quiet_NaN();
  for (const SeriesSet* set : sets) least = std::fmin(least, allocatable(*set));
  verdict.notes.push_back(std::isnan(least) ? "not written and read back: gpu.capacity was not measured"
                                            : fmt::format("{} a GPU could be allocated, written and read back",
                                                          format_quantity(least, Dimension::bytes)));
}

/// What real cards of the model report is less than their name says: firmware, and error correction in GDDR.
void expect_reported(Clause& clause, const Product& product, const Catalogue&) {
  const auto reported = static_cast<double>(product.least_memory_reported());
  const auto marketed = static_cast<double>(product.memory_bytes);
  if (reported <= 0 || clause.value <= reported) return;
  clause.healthy = std::min(clause.value, reported * std::max(1.0, clause.value / std::max(marketed, reported)));
  clause.healthy_source = "as the drivers of real ones report it, catalogue";
}

const RegisterClause registered({
    .key = "gpu.memory",
    .summary = "memory of every GPU as its driver reports it; what can be allocated, when gpu.capacity was measured",
    .dimension = Dimension::bytes,
    .derate = 0.99,
    .derate_source = "drivers' reserves differ by up to 1 %",
    .question = "How much memory do these cards have, and who else uses it?",
    .settled_by = capacity,
    .expect = expect_reported,
    .contradiction = [](const Clause& clause, const Product* product, const Catalogue&) -> std::string {
      const auto most = product == nullptr ? 0.0 : static_cast<double>(product->memory_bytes);
      if (most <= 0 || clause.value <= 1.001 * most) return "";
      return fmt::format("a {} has {}", product->names.front(), format_quantity(most, Dimension::bytes));
    },
    .judge = judge,
});

}  // namespace
}  // namespace assay
