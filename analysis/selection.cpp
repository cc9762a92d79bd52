#include "analysis/selection.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "analysis/comparison.hpp"

namespace assay {
namespace {

std::optional<std::uint64_t> axis_number(const SeriesSet& set, std::string_view axis) {
  if (!set.point.has(axis)) return std::nullopt;
  const std::string& text = set.point.get(axis);
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

bool size_fits(const Clause& clause, const SeriesSet& set) {
  if (!clause.sizes) return true;
  const auto bytes = axis_number(set, "bytes");
  return bytes && clause.sizes->contains(*bytes);
}

bool direction_fits(const Clause& clause, const SeriesSet& set) {
  if (clause.direction == Direction::none) return true;
  return std::any_of(set.rows.begin(), set.rows.end(), [&](const results::SeriesRow* row) {
    const auto direction = parse_direction(row->direction);
    return !direction || *direction == Direction::none || *direction == clause.direction;
  });
}

/// Sizes measured by these sets, in words: "8 B, 64 KiB".
std::string sizes_of(const std::vector<const SeriesSet*>& sets) {
  std::set<std::uint64_t> sizes;
  for (const SeriesSet* set : sets) {
    if (const auto bytes = axis_number(*set, "bytes")) sizes.insert(*bytes);
  }
  std::vector<std::string> texts;
  for (const std::uint64_t size : sizes) texts.push_back(format_quantity(static_cast<double>(size), Dimension::bytes));
  return fmt::format("{}", fmt::join(texts, ", "));
}

Pattern with_ranks(Pattern pattern, const std::string& ranks) {
  pattern.axes.emplace_back("ranks", ranks);
  return pattern;
}

}  // namespace

std::vector<const SeriesSet*> select(const JudgeContext& context, const Clause& clause, const Pattern& pattern) {
  auto sets = context.series.matching(pattern);
  std::erase_if(sets, [&](const SeriesSet* set) { return !size_fits(clause, *set) || !direction_fits(clause, *set); });
  return sets;
}

std::vector<const SeriesSet*> largest(const std::vector<const SeriesSet*>& sets, std::string_view axis) {
  std::uint64_t most = 0;
  for (const SeriesSet* set : sets) most = std::max(most, axis_number(*set, axis).value_or(0));
  std::vector<const SeriesSet*> kept;
  for (const SeriesSet* set : sets) {
    if (axis_number(*set, axis).value_or(0) == most) kept.push_back(set);
  }
  return kept;
}

std::vector<Measurement> measure_all(const JudgeContext& context, const std::vector<const SeriesSet*>& sets) {
  std::vector<Measurement> measurements;
  measurements.reserve(sets.size());
  for (const SeriesSet* set : sets) measurements.push_back(measure(context.run, *set));
  return measurements;
}

std::string why_missing(const JudgeContext& context, const Clause& clause, const Pattern& pattern) {
  const auto matching = context.series.matching(pattern);
  if (matching.empty()) {
    const auto& run = context.run.run;
    return fmt::format("no series of {} in this run (suite {}{}): it does not cover this clause", pattern.filter(),
                       run.suite.empty() ? "unknown" : run.suite,
                       run.filter.empty() ? "" : ", filter '" + run.filter + "'");
  }
  if (clause.sizes &&
      std::none_of(matching.begin(), matching.end(), [&](const auto* set) { return size_fits(clause, *set); })) {
    return fmt::format("no size {} was measured, only {}", clause.sizes->text(), sizes_of(matching));
  }
  return fmt::format("{} was not measured {}", pattern.case_name, to_string(clause.direction));
}

std::string missing_nodes(const RunData& run, const std::vector<Measurement>& measurements) {
  std::set<int> seen;
  for (const Measurement& m : measurements) {
    const auto nodes = run.nodes_of(m.members);
    seen.insert(nodes.begin(), nodes.end());
  }
  std::vector<std::string> hosts;
  for (const auto& node : run.nodes) {
    if (!seen.contains(node.node)) hosts.push_back(run.host_of(node.node));
  }
  return fmt::format("{}", fmt::join(hosts, ", "));
}

std::string missing_ranks(const RunData& run, const std::vector<Measurement>& measurements) {
  std::set<int> seen;
  for (const Measurement& m : measurements) seen.insert(m.members.begin(), m.members.end());
  std::vector<int> missing;
  for (int rank = 0; rank < run.run.ranks; ++rank) {
    if (!seen.contains(rank)) missing.push_back(rank);
  }
  return missing.empty() ? "" : run.describe(missing);
}

std::vector<Measurement> per_node(const JudgeContext& context, const Clause& clause, const Pattern& pattern,
                                  std::string_view size_axis) {
  auto sets = select(context, clause, with_ranks(pattern, "node"));
  if (!sets.empty()) return measure_all(context, largest(sets, size_axis));
  sets = select(context, clause, with_ranks(pattern, "all"));
  auto measurements = measure_all(context, largest(sets, size_axis));
  for (Measurement& m : measurements) {
    m = m.shared_by(static_cast<int>(std::max<std::size_t>(1, context.run.nodes_of(m.members).size())));
  }
  return measurements;
}

void judge_per_node(Verdict& verdict, const JudgeContext& context, const Pattern& pattern, std::string_view size_axis) {
  const auto figures = per_node(context, verdict.clause, pattern, size_axis);
  judge_worst(verdict, figures, context.run, why_missing(context, verdict.clause, with_ranks(pattern, "all")));
  if (!figures.empty()) require_complete(verdict, missing_nodes(context.run, figures));
}

double granted_cpus(const results::NodeRow& node) {
  if (node.cpus_granted <= 0) return std::numeric_limits<double>::quiet_NaN();
  const double granted = node.cpus_granted;
  return node.cpu_quota > 0 ? std::min(granted, node.cpu_quota) : granted;  // false for NaN: unlimited
}

double granted_cores(const results::NodeRow& node) {
  if (node.cores <= 0 || node.threads < node.cores) return std::numeric_limits<double>::quiet_NaN();
  return granted_cpus(node) * node.cores / node.threads;
}

std::string transport_cause(const RunData& run, bool across_nodes) {
  for (const std::string_view name : {"OMPI_MCA_btl", "OMPI_MCA_pml", "UCX_TLS", "UCX_NET_DEVICES", "I_MPI_FABRICS"}) {
    const auto at = run.run.environment.find(std::string(name) + "=");
    if (at != std::string::npos && (at == 0 || run.run.environment[at - 1] == '\n')) {
      return fmt::format("the environment chooses the transport: {}",
                         run.run.environment.substr(at, run.run.environment.find('\n', at) - at));
    }
  }
  const bool rdma =
      std::any_of(run.nics.begin(), run.nics.end(), [](const auto& nic) { return !nic.rdma_device.empty(); });
  if (across_nodes && !run.nics.empty() && !rdma) return "no RDMA device is visible on any node: traffic goes over TCP";
  return "";
}

std::string compute_cause(const RunData& run, const Verdict& verdict) {
  for (const auto& node : run.nodes) {
    if (verdict.member.find(run.host_of(node.node)) == std::string::npos) continue;
    if (node.cpu_quota > 0 && node.cpu_quota < node.cpus_granted) {
      return fmt::format("the cgroup's quota leaves {:.3g} of {} CPUs on {}", node.cpu_quota, node.cpus_granted,
                         node.host);
    }
    if (!node.governor.empty() && node.governor != "performance") {
      return fmt::format("the CPU frequency governor on {} is '{}'", node.host, node.governor);
    }
  }
  for (const auto& row : run.software) {
    if (row.name == "blas.kernel")
      return "BLAS kernel used: " + row.version + " (an old one for a new CPU is up to 2x off)";
  }
  return "";
}

}  // namespace assay
