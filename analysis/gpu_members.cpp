#include "analysis/gpu_members.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "analysis/expectation.hpp"
#include "analysis/selection.hpp"
#include "core/layout.hpp"

namespace assay {
namespace {

std::string card(const results::GpuRow& gpu) {
  std::string identity = gpu.pci_bus_id;
  if (!gpu.uuid.empty()) identity += (identity.empty() ? "" : ", ") + gpu.uuid;
  return identity.empty() ? fmt::format("GPU {}", gpu.gpu) : fmt::format("GPU {} ({})", gpu.gpu, identity);
}

std::vector<int> ranks_of(const RunData& run, const results::GpuRow& gpu) {
  std::vector<int> ranks;
  for (const auto& rank : run.ranks) {
    if (rank.node == gpu.node && rank.gpu == gpu.gpu) ranks.push_back(rank.rank);
  }
  return ranks;
}

}  // namespace

std::string describe_gpu(const RunData& run, const results::GpuRow& gpu) {
  std::string text = fmt::format("{} on {}", card(gpu), run.host_of(gpu.node));
  const auto ranks = ranks_of(run, gpu);
  if (!ranks.empty()) text += fmt::format(", rank{} {}", ranks.size() == 1 ? "" : "s", format_ranks(ranks));
  return text;
}

std::string describe_gpu_of(const RunData& run, int rank) {
  const results::GpuRow* gpu = run.gpu_of(rank);
  if (gpu != nullptr) return describe_gpu(run, *gpu);
  const auto at = std::find_if(run.ranks.begin(), run.ranks.end(), [&](const auto& row) { return row.rank == rank; });
  const std::string text = run.describe(std::vector<int>{rank});
  return at == run.ranks.end() || at->gpu < 0 ? text : fmt::format("GPU {}, {}", at->gpu, text);
}

std::string describe_gpus_of(const RunData& run, const std::vector<int>& ranks) {
  std::vector<std::string> texts;
  for (const int rank : ranks) texts.push_back(describe_gpu_of(run, rank));
  return fmt::format("{}", fmt::join(texts, " and "));
}

std::vector<Measurement> each_gpu(const JudgeContext& context, const std::vector<const SeriesSet*>& sets) {
  std::vector<Measurement> all;
  for (const SeriesSet* set : sets) {
    for (Measurement& m : measure_members(context.run, *set)) {
      m.who = describe_gpu_of(context.run, m.members.front());
      all.push_back(std::move(m));
    }
  }
  return all;
}

std::string missing_gpus(const RunData& run, const std::vector<Measurement>& measurements) {
  std::set<GpuKey> seen;
  std::set<int> ranks;
  for (const Measurement& m : measurements) {
    for (const int rank : m.members) {
      ranks.insert(rank);
      if (const auto* gpu = run.gpu_of(rank)) seen.insert({gpu->node, gpu->gpu});
    }
  }
  std::vector<std::string> missing;
  for (const auto& gpu : run.gpus) {
    if (!seen.contains({gpu.node, gpu.gpu})) missing.push_back(describe_gpu(run, gpu));
  }
  for (const auto& rank : run.ranks) {
    if (rank.gpu >= 0 && !ranks.contains(rank.rank) && run.gpu_of(rank.rank) == nullptr) {
      missing.push_back(describe_gpu_of(run, rank.rank));
    }
  }
  return fmt::format("{}", fmt::join(missing, "; "));
}

std::string gpu_cause(const JudgeContext& context, const results::GpuRow& gpu,
                      const std::vector<const SeriesSet*>& sets) {
  std::vector<std::string> causes = held_back(context.run, context.catalogue, gpu, sets);
  if (gpu.mig_enabled == 1) causes.emplace_back("the card is partitioned (MIG)");
  if (gpu.foreign_processes > 0)
    causes.push_back(fmt::format("{} foreign processes on the card", gpu.foreign_processes));
  if (gpu.virtualization == "vgpu") causes.emplace_back("a share of a card (vGPU)");
  return fmt::format("{}", fmt::join(causes, "; "));
}

std::vector<const SeriesSet*> all_gpus_at_once(const JudgeContext& context, const Clause& clause,
                                               const Pattern& pattern, std::string_view size_axis) {
  Pattern at_once = pattern;
  at_once.axes.emplace_back("gpus", "node");
  return largest(select(context, clause, at_once), size_axis);
}

void judge_each_gpu(Verdict& verdict, const JudgeContext& context, const GpuJudge& how) {
  const auto sets = all_gpus_at_once(context, verdict.clause, how.pattern, how.size_axis);
  auto figures = each_gpu(context, sets);
  for (Measurement& m : figures) {
    const results::GpuRow* gpu = context.run.gpu_of(m.members.front());
    const Product* product = gpu == nullptr ? nullptr : context.catalogue.find(gpu->name);
    if (product != nullptr && how.ceiling) refuse_above(m, how.ceiling(*product, *gpu), how.ceiling_words);
  }
  Pattern named = how.pattern;
  named.axes.emplace_back("gpus", "node");
  judge_worst(verdict, figures, context.run, why_missing(context, verdict.clause, named));
  if (figures.empty()) return;
  require_complete(verdict, missing_gpus(context.run, figures));
  if (!falls_short(verdict)) return;
  for (const Measurement& m : figures) {
    const results::GpuRow* gpu = context.run.gpu_of(m.members.front());
    if (gpu == nullptr || !verdict.member.starts_with(m.who)) continue;
    if (verdict.cause.empty()) verdict.cause = gpu_cause(context, *gpu, sets);
  }
}

}  // namespace assay
