#include "analysis/locate/run_location.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "analysis/locate/from_run.hpp"
#include "core/layout.hpp"

namespace assay::locate {
namespace {

constexpr std::size_t most_suspects = 5;
constexpr std::size_t most_islands = 8;

std::string title_of(LevelKind kind) {
  switch (kind) {
    case LevelKind::device_domain:
      return "GPUs joined at device speed";
    case LevelKind::host_domain:
      return "ranks joined by memory";
    case LevelKind::leaf:
      return "nodes under one switch";
    case LevelKind::rail_switch:
      return "NICs under one switch";
  }
  return "islands";
}

/// "GPU 0-2,4-7 of node1", "node1, node2".
std::string members_text(const Level& level, std::int32_t island, const Names& names) {
  std::map<std::int32_t, std::vector<int>> units;
  for (std::size_t i = 0; i < level.places.size(); ++i) {
    if (level.islands.of[i] == island) units[level.places[i].node].push_back(level.places[i].unit);
  }
  std::string text;
  std::size_t shown = 0;
  for (auto& [node, of_node] : units) {
    if (++shown > most_islands) {
      text += fmt::format(" and {} more", units.size() - most_islands);
      break;
    }
    std::sort(of_node.begin(), of_node.end());
    if (!text.empty()) text += ", ";
    if (level.kind == LevelKind::leaf) {
      text += names.host(node);
    } else if (level.kind == LevelKind::device_domain) {
      text += fmt::format("GPU {} of {}", format_ranks(of_node), names.host(node));
    } else {
      text += fmt::format("{} {} of {}", level.kind == LevelKind::rail_switch ? "NIC" : "rank", format_ranks(of_node),
                          names.host(node));
    }
  }
  return text;
}

std::string level_text(const Level& level, const Names& names) {
  std::string text = fmt::format("{}: {} island{} ({})\n", title_of(level.kind), level.islands.count,
                                 level.islands.count == 1 ? "" : "s", level.matrix);
  for (std::int32_t island = 0; island < level.islands.count; ++island) {
    if (static_cast<std::size_t>(island) == most_islands) {
      text += fmt::format("  ... and {} more\n", level.islands.count - island);
      break;
    }
    text += fmt::format("  {:>3}  {}\n", island, members_text(level, island, names));
  }
  const std::string outside = members_text(level, -1, names);
  if (!outside.empty()) text += fmt::format("  outside  {}\n", outside);
  return text;
}

std::string row_text(const PairMatrix& matrix, const PairRow& row, const Names& names) {
  const PartKind kind = unit_kind_of(matrix);
  const auto end = [&](std::int32_t index) {
    const End& e = matrix.ends[static_cast<std::size_t>(index)];
    if (kind == PartKind::rank) return fmt::format("rank {} on {}", e.rank, names.host(e.node));
    return describe({.kind = kind, .node = e.node, .unit = kind == PartKind::gpu ? e.gpu : e.nic}, names, kind);
  };
  return row.b < 0 ? end(row.a) : end(row.a) + " - " + end(row.b);
}

std::string matrix_text(const MatrixReport& report) {
  std::string text = report.name + "\n";
  for (const GroupReport& group : report.groups) {
    if (group.rows == 0) continue;
    text += std::isnan(group.typical)
                ? fmt::format("  {}: {} rows, not compared with each other\n", group.name, group.rows)
                : fmt::format("  {}: {} rows, typically {}, sound ones differ by {:.1f} % (sigma)\n", group.name,
                              group.rows, format_quantity(group.typical, report.dimension), 100 * group.sigma);
  }
  if (report.unexplained_pattern)
    text += "  too many single paths are slow for faults: a structure that was not understood\n";
  if (!report.suspects.empty()) {
    text += fmt::format("  {} row{} slow without a culprit; measure {} again alone:\n", report.suspects.size(),
                        report.suspects.size() == 1 ? " is" : "s are", report.suspects.size() == 1 ? "it" : "them");
  }
  return text;
}

std::string matrices_text(const RunData& run, const RunLocation& location) {
  const std::vector<PairMatrix> matrices = pair_matrices(run);
  std::string text;
  for (std::size_t i = 0; i < location.localisation.matrices.size() && i < matrices.size(); ++i) {
    const MatrixReport& report = location.localisation.matrices[i];
    text += matrix_text(report);
    for (std::size_t s = 0; s < std::min(report.suspects.size(), most_suspects); ++s) {
      const PairRow& row = matrices[i].rows[static_cast<std::size_t>(report.suspects[s].row)];
      text += fmt::format("    {} ({:.2f} times the cost)\n", row_text(matrices[i], row, location.names),
                          report.suspects[s].factor);
    }
  }
  return text;
}

}  // namespace

RunLocation locate_run(const RunData& run, const SearchOptions& options) {
  RunLocation location;
  location.names = names_of(run);
  const std::vector<PairMatrix> matrices = pair_matrices(run);
  location.localisation = locate(matrices, location.names, options);
  location.stragglers = find_stragglers(run);
  for (const PairMatrix& matrix : matrices) {
    auto found = oversubscription_of(matrix, location.localisation.topology.leaf_of(matrix));
    if (found) location.oversubscription.push_back(std::move(*found));
  }
  return location;
}

std::string location_text(const RunData& run, const RunLocation& location) {
  std::string text = run.run.emulated ? "EMULATED hardware: no evidence about a real machine\n" : "";
  const Localisation& found = location.localisation;
  if (found.matrices.empty() && location.stragglers.empty()) {
    return text + "nothing to compare: the run holds no pairs, no figures of several GPUs\n";
  }
  if (found.findings.empty() && location.stragglers.empty() && found.topology.contradictions.empty()) {
    text += "no part stands out\n";
  }
  for (const Finding& finding : found.findings) {
    text += fmt::format("* {}\n    factor {:.2f} ({:.2f} to {:.2f}); {}\n", finding.sentence, finding.factor,
                        finding.factor_interval.low, finding.factor_interval.high, fmt::join(finding.matrices, ", "));
  }
  for (const Straggler& straggler : location.stragglers) text += fmt::format("* {}\n", straggler.sentence);
  for (const Contradiction& contradiction : found.topology.contradictions) {
    text += fmt::format("* {}\n", contradiction.sentence);
  }
  for (const Oversubscription& over : location.oversubscription) {
    text += fmt::format("- {} ({})\n", over.sentence, over.matrix);
  }
  if (!found.topology.levels.empty()) text += "\nstructure, inferred from the figures alone\n";
  for (const Level& level : found.topology.levels) text += level_text(level, location.names);
  text += "\nlooked at\n" + matrices_text(run, location);
  return text;
}

}  // namespace assay::locate
