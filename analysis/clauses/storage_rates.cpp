#include <fmt/format.h>

#include <algorithm>

#include "analysis/comparison.hpp"
#include "analysis/selection.hpp"

namespace assay {
namespace {

/// Best memory bandwidth of any node in this run; infinite when it was not measured.
double memory_ceiling(const JudgeContext& context) {
  double best = 0;
  for (const SeriesSet* set : context.series.matching({"host.memory", {}})) {
    const Measurement m = measure(context.run, *set);
    if (m.evidence == Evidence::valid && m.dimension == Dimension::bytes_per_second) best = std::max(best, m.value);
  }
  return best > 0 ? best : std::numeric_limits<double>::infinity();
}

/// A file system that delivers more than main memory was not read from: the figure is a cache's or a wrong count's.
void refuse_impossible(Measurement& m, double ceiling) {
  if (m.dimension != Dimension::bytes_per_second || m.evidence != Evidence::valid || m.interval.low <= ceiling) return;
  m.evidence = Evidence::invalid;
  m.problem = fmt::format("{} is more than the node's memory delivers ({}): a cache answered",
                          format_quantity(m.interval.low, m.dimension), format_quantity(ceiling, m.dimension));
}

void judge(Verdict& verdict, const JudgeContext& context, const Pattern& pattern) {
  auto sets = select(context, verdict.clause, pattern);
  auto measured = measure_all(context, sets);
  const double ceiling = memory_ceiling(context);
  for (Measurement& m : measured) {
    m = m.shared_by(static_cast<int>(std::max<std::size_t>(1, context.run.nodes_of(m.members).size())));
    refuse_impossible(m, ceiling);
  }
  judge_worst(verdict, measured, context.run, why_missing(context, verdict.clause, pattern));
  for (const Measurement& m : measured) require_complete(verdict, missing_nodes(context.run, {m}));
  if (context.run.run.path.empty() && measured.empty()) verdict.notes.emplace_back("the run had no --path to write in");
  for (const auto& disk : context.run.disks) {
    if (disk.path.empty() || verdict.outcome == Outcome::pass) continue;
    verdict.cause = fmt::format("{} lies on {} ({}, {})", disk.path, disk.device, disk.transport, disk.file_system);
    break;
  }
}

ClauseInfo rate(const std::string& key, const std::string& case_name, const std::string& op, Dimension dimension,
                const std::string& words) {
  const Pattern pattern{case_name, {{"op", op}, {"depth", "32"}, {"ranks", "all"}}};
  return {
      .key = key,
      .summary = words + " on every node while all nodes work (all ranks' total / nodes), past the page cache",
      .dimension = dimension,
      .derate = 0.85,
      .derate_source = "buyers' rule: below 85 % of the official figure is misrepresented",
      .question =
          "Which disks or storage tier back this path, shared by whom, and under which limit of rate or operations?",
      .settled_by = pattern,
      .run_options = "--path DIR",
      .judge = [pattern](Verdict& verdict, const JudgeContext& context) { judge(verdict, context, pattern); },
  };
}

const RegisterClause sequential_read(rate("storage.sequential_read", "storage.sequential", "read",
                                          Dimension::bytes_per_second, "sequential reading, 1 MiB blocks, depth 32"));
const RegisterClause sequential_write(rate("storage.sequential_write", "storage.sequential", "write",
                                           Dimension::bytes_per_second, "sequential writing, 1 MiB blocks, depth 32"));
const RegisterClause random_read(rate("storage.random_read", "storage.random", "read", Dimension::operations_per_second,
                                      "random reading, 4 KiB blocks, depth 32"));
const RegisterClause random_write(rate("storage.random_write", "storage.random", "write",
                                       Dimension::operations_per_second, "random writing, 4 KiB blocks, depth 32"));

}  // namespace
}  // namespace assay
