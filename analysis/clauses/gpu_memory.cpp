#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "analysis/gpu_members.hpp"
#include "analysis/selection.hpp"

namespace assay {
namespace {

/// The driver and the contexts of MPI, NCCL and this program take 1 to 4 % of what is reported.
constexpr double least_allocatable = 0.93;

const Pattern capacity{"gpu.capacity", {{"gpus", "node"}}};

/// Bytes that the ranks of sound series could allocate, by rank: the least over the epochs.
std::map<int, double> allocatable(const std::vector<const SeriesSet*>& sets) {
  std::map<int, double> bytes;
  for (const SeriesSet* set : sets) {
    for (const results::SeriesRow* row : set->rows) {
      if (row->status != "ok" || row->checked <= 0 || row->ranks < 1) continue;
      for (const int rank : set->members) {
        const auto [at, is_new] = bytes.try_emplace(rank, row->work / row->ranks);
        if (!is_new) at->second = std::min(at->second, row->work / row->ranks);
      }
    }
  }
  return bytes;
}

std::string cause_of(const results::GpuRow& gpu, double sold) {
  if (gpu.mig_enabled == 1) return "the card is partitioned (MIG)";
  if (gpu.foreign_processes > 0) return fmt::format("{} foreign processes on the card", gpu.foreign_processes);
  const auto used = static_cast<double>(gpu.memory_used_bytes);
  if (used > 0.05 * sold) return format_quantity(used, Dimension::bytes) + " were in use before the run began";
  return "";
}

/// Memory that arrived wrong, or could not be used, outweighs what the card reports.
void judge_use(Verdict& verdict, const JudgeContext& context, const std::vector<const SeriesSet*>& sets) {
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
  const double least = least_allocatable * verdict.clause.limit();
  for (const auto& [rank, bytes] : allocatable(sets)) {
    if (bytes >= least || verdict.outcome == Outcome::fail) continue;
    verdict.decide(Outcome::fail,
                   fmt::format("only {} could be allocated, {} needed", format_quantity(bytes, Dimension::bytes),
                               format_quantity(least, Dimension::bytes)));
    verdict.member = describe_gpu_of(context.run, rank);
    verdict.measured = Figure{bytes, {bytes, bytes, 1}, 0, 0};
    const auto* gpu = context.run.gpu_of(rank);
    verdict.cause = gpu == nullptr ? "" : cause_of(*gpu, verdict.clause.value);
  }
}

void judge(Verdict& verdict, const JudgeContext& context) {
  std::vector<Counted> members;
  for (const auto& gpu : context.run.gpus) {
    members.push_back(
        {describe_gpu(context.run, gpu), static_cast<double>(gpu.memory_bytes), cause_of(gpu, verdict.clause.value)});
  }
  judge_counted(verdict, members);
  if (context.run.gpus.empty()) verdict.decide(Outcome::not_tested, "the inventory holds no GPU");
  const auto sets = context.series.matching(capacity);
  judge_use(verdict, context, sets);
  double least = std::numeric_limits<double>::infinity();
  for (const auto& [rank, bytes] : allocatable(sets)) least = std::min(least, bytes);
  verdict.notes.push_back(sets.empty() || std::isinf(least)
                              ? "not written and read back: gpu.capacity was not measured"
                              : fmt::format("{} could be allocated, written and read back on the worst GPU",
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
