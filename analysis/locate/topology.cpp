#include "analysis/locate/topology.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "analysis/locate/observations.hpp"
#include "core/statistics.hpp"

namespace assay::locate {
namespace {

const double device_step = std::log(1.6);
const double host_step = std::log(1.3);
const double leaf_step = std::log(1.1);

enum class Vertex { gpu, slot, nic, node };

Place place_of(const End& end, Vertex vertex) {
  if (vertex == Vertex::gpu) return {end.node, end.gpu};
  if (vertex == Vertex::slot) return {end.node, end.slot};
  if (vertex == Vertex::nic) return {end.node, end.nic};
  return {end.node, -1};
}

/// A vertex that answers late is far from everybody. Its island is still the one to which its way is shorter than to
/// the others by about a step.
void place_the_lone(Islands& islands, const std::vector<Edge>& edges) {
  if (islands.count < 2) return;
  const double step = std::exp(islands.between) - std::exp(islands.inside);
  std::map<std::int32_t, std::map<std::int32_t, std::vector<double>>> ways;
  for (const Edge& edge : edges) {
    for (const auto& [lone, other] : {std::pair(edge.a, edge.b), std::pair(edge.b, edge.a)}) {
      const std::int32_t island = islands.of[static_cast<std::size_t>(other)];
      if (islands.of[static_cast<std::size_t>(lone)] < 0 && island >= 0)
        ways[lone][island].push_back(std::exp(edge.value));
    }
  }
  for (const auto& [lone, to] : ways) {
    std::vector<std::pair<double, std::int32_t>> order;
    for (const auto& [island, seconds] : to) order.emplace_back(median(seconds), island);
    std::sort(order.begin(), order.end());
    const bool clear = order.size() > 1 && order[1].first - order[0].first > step / 2;
    if (clear) islands.of[static_cast<std::size_t>(lone)] = order[0].second;
  }
}

/// The matrix as a graph; `across_only` leaves out what stays within a node.
Level level_of(const PairMatrix& matrix, LevelKind kind, Vertex vertex, bool across_only, double least_step) {
  Level level{kind, matrix.name, {}, {}};
  std::map<Place, std::int32_t> numbers;
  const auto number = [&](std::int32_t end) {
    const Place place = place_of(matrix.ends[static_cast<std::size_t>(end)], vertex);
    const auto [at, is_new] = numbers.try_emplace(place, static_cast<std::int32_t>(level.places.size()));
    if (is_new) level.places.push_back(place);
    return at->second;
  };
  std::vector<Edge> edges;
  for (const Observation& observation : observe(matrix, {}).all) {
    const PairRow& row = matrix.rows[static_cast<std::size_t>(observation.row)];
    if (row.b < 0 || (across_only && matrix.same_node(row))) continue;
    edges.push_back({number(row.a), number(row.b), observation.value});
  }
  level.islands = find_islands(static_cast<std::int32_t>(level.places.size()), edges, least_step);
  if (matrix.dimension == Dimension::seconds) place_the_lone(level.islands, edges);
  return level;
}

bool all_ends(const PairMatrix& matrix, bool (*has)(const End&)) {
  return !matrix.ends.empty() && std::all_of(matrix.ends.begin(), matrix.ends.end(), has);
}

bool has_gpu(const End& end) { return end.gpu >= 0; }
bool has_nic(const End& end) { return end.nic >= 0; }
bool has_no_gpu(const End& end) { return end.gpu < 0; }

/// Some pairs do not leave their node: without them nothing is known of the inside of nodes.
bool stays_in_nodes(const PairMatrix& matrix) {
  return std::any_of(matrix.rows.begin(), matrix.rows.end(),
                     [&](const PairRow& row) { return row.b >= 0 && matrix.same_node(row); });
}

/// How many places of each node an island holds.
std::map<std::int32_t, std::map<std::int32_t, int>> places_by_island(const Level& level, bool by_unit) {
  std::map<std::int32_t, std::map<std::int32_t, int>> counts;
  for (std::size_t i = 0; i < level.places.size(); ++i) {
    const Place& place = level.places[i];
    ++counts[level.islands.of[i]][by_unit ? place.unit : place.node];
  }
  return counts;
}

std::int32_t commonest(const std::map<std::int32_t, int>& counts) {
  return std::max_element(counts.begin(), counts.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

/// Which units of a node lie together: sets of units, those alone left out.
using Pattern = std::set<std::set<std::int32_t>>;

std::map<std::int32_t, Pattern> patterns_by_node(const Level& level) {
  std::map<std::int32_t, std::map<std::int32_t, std::set<std::int32_t>>> groups;
  for (std::size_t i = 0; i < level.places.size(); ++i) {
    groups[level.places[i].node];
    if (level.islands.of[i] >= 0) groups[level.places[i].node][level.islands.of[i]].insert(level.places[i].unit);
  }
  std::map<std::int32_t, Pattern> patterns;
  for (const auto& [node, islands] : groups) {
    Pattern& pattern = patterns[node];
    for (const auto& [island, units] : islands) pattern.insert(units);
  }
  return patterns;
}

/// The pattern of most nodes; of one with everything together when no other is common.
Pattern usual_pattern(const std::map<std::int32_t, Pattern>& patterns, const std::set<std::int32_t>& units) {
  std::map<Pattern, std::size_t> times;
  for (const auto& [node, pattern] : patterns) ++times[pattern];
  const auto most =
      std::max_element(times.begin(), times.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  // One node, or all different: more than one island is how such machines are built, a single GPU left out is not.
  if (2 * most->second > patterns.size() && (patterns.size() > 2 || most->first.size() > 1)) return most->first;
  return {units};
}

void find_strays(const Level& level, const Names& names, std::vector<Contradiction>& found) {
  const auto patterns = patterns_by_node(level);
  std::set<std::int32_t> all_units;
  for (const Place& place : level.places) all_units.insert(place.unit);
  const Pattern usual = usual_pattern(patterns, all_units);
  for (std::size_t i = 0; i < level.places.size(); ++i) {
    const Place& place = level.places[i];
    const Pattern& mine = patterns.at(place.node);
    const auto together = [&](const Pattern& pattern) {
      const auto at =
          std::find_if(pattern.begin(), pattern.end(), [&](const auto& set) { return set.count(place.unit) > 0; });
      return at == pattern.end() ? std::size_t{0} : at->size();
    };
    const auto largest =
        std::max_element(mine.begin(), mine.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
    if (mine.empty() || largest->size() < 3 || largest->count(place.unit) > 0) continue;
    if (together(usual) <= together(mine)) continue;  // elsewhere it lies no better
    found.push_back(
        {{.kind = PartKind::gpu, .node = place.node, .unit = place.unit},
         fmt::format("GPU {} of {} is not in the NVLink island of its node", place.unit, names.host(place.node))});
  }
}

/// Ranks that the record puts on one node and the measured times on another.
void find_misplaced_ranks(const Level& level, const Names& names, std::vector<Contradiction>& found) {
  const auto counts = places_by_island(level, false);
  for (std::size_t i = 0; i < level.places.size(); ++i) {
    const Place& place = level.places[i];
    const std::int32_t island = level.islands.of[i];
    if (island < 0) continue;
    const std::int32_t home = commonest(counts.at(island));
    if (home == place.node || counts.at(island).at(place.node) > 1) continue;
    found.push_back({{.kind = PartKind::rank, .node = place.node, .unit = place.unit},
                     fmt::format("rank {} of those recorded on {} answers as if it were on {}", place.unit,
                                 names.host(place.node), names.host(home))});
  }
}

void find_crossed_rails(const Level& level, const Names& names, std::vector<Contradiction>& found) {
  const auto counts = places_by_island(level, true);
  for (std::size_t i = 0; i < level.places.size(); ++i) {
    const Place& place = level.places[i];
    const std::int32_t island = level.islands.of[i];
    if (island < 0) continue;
    const auto& units = counts.at(island);
    const std::int32_t rail = commonest(units);
    if (rail == place.unit || units.at(rail) < 2 * units.at(place.unit)) continue;
    found.push_back({{.kind = PartKind::nic, .node = place.node, .unit = place.unit},
                     fmt::format("NIC {} of {} is cabled to rail {} instead of rail {}",
                                 names.nic(place.node, place.unit), names.host(place.node), rail, place.unit)});
  }
}

/// Islands of NICs that are rails: most of an island are NICs of one number, and there are islands of several numbers.
bool by_rail(const Level& level) {
  int places = 0;
  int usual = 0;
  std::set<std::int32_t> rails;
  for (const auto& [island, units] : places_by_island(level, true)) {
    if (island < 0) continue;
    for (const auto& [unit, count] : units) places += count;
    usual += units.at(commonest(units));
    rails.insert(commonest(units));
  }
  return rails.size() > 1 && usual > 0.7 * places;
}

/// Structure of the network between nodes, of one matrix: rails if its NICs show them, leaves of nodes otherwise.
std::optional<Level> network_level(const PairMatrix& matrix) {
  if (all_ends(matrix, has_nic)) {
    Level rails = level_of(matrix, LevelKind::rail_switch, Vertex::nic, true, leaf_step);
    if (rails.islands.count > 1 && by_rail(rails)) return rails;
  }
  Level leaves = level_of(matrix, LevelKind::leaf, Vertex::node, true, leaf_step);
  if (leaves.islands.count > 1) return leaves;
  return std::nullopt;
}

void add_network(const std::vector<PairMatrix>& matrices, const Names& names, Topology& topology) {
  for (const bool latencies : {true, false}) {
    for (const PairMatrix& matrix : matrices) {
      if (!matrix.pairs() || (matrix.dimension == Dimension::seconds) != latencies) continue;
      auto level = network_level(matrix);
      if (!level) continue;
      if (level->kind == LevelKind::rail_switch) find_crossed_rails(*level, names, topology.contradictions);
      topology.levels.push_back(std::move(*level));
      return;
    }
  }
}

/// The level that separates paths across nodes; nullptr when there is none.
const Level* network_level_of(const std::vector<Level>& levels) {
  const auto level = std::find_if(levels.begin(), levels.end(), [](const Level& l) {
    return l.kind == LevelKind::leaf || l.kind == LevelKind::rail_switch;
  });
  return level == levels.end() ? nullptr : &*level;
}

}  // namespace

std::string_view to_string(LevelKind kind) {
  constexpr std::string_view names[] = {"device_domain", "host_domain", "leaf", "rail_switch"};
  return names[static_cast<std::size_t>(kind)];
}

std::vector<std::string> island_names(const Topology& topology, const Names& names) {
  constexpr std::size_t most_named = 2;
  const Level* level = network_level_of(topology.levels);
  if (level == nullptr) return {};
  std::vector<std::set<std::int32_t>> nodes(static_cast<std::size_t>(level->islands.count));
  for (std::size_t i = 0; i < level->places.size(); ++i) {
    const std::int32_t island = level->islands.of[i];
    if (island >= 0) nodes[static_cast<std::size_t>(island)].insert(level->places[i].node);
  }
  std::vector<std::string> texts;
  for (const auto& of_island : nodes) {
    std::string text;
    std::size_t named = 0;
    for (auto at = of_island.begin(); at != of_island.end() && named < most_named; ++at, ++named) {
      text += (text.empty() ? "" : ", ") + names.host(*at);
    }
    if (of_island.size() > named) text += fmt::format(" and {} more", of_island.size() - named);
    texts.push_back(std::move(text));
  }
  return texts;
}

std::vector<std::int32_t> Topology::leaf_of(const PairMatrix& matrix) const {
  const Level* level = network_level_of(levels);
  if (level == nullptr) return {};
  const Vertex vertex = level->kind == LevelKind::leaf ? Vertex::node : Vertex::nic;
  std::map<Place, std::int32_t> islands;
  for (std::size_t i = 0; i < level->places.size(); ++i) islands[level->places[i]] = level->islands.of[i];
  std::vector<std::int32_t> of;
  for (const End& end : matrix.ends) {
    const auto at = islands.find(place_of(end, vertex));
    of.push_back(at == islands.end() ? -1 : at->second);
  }
  return of;
}

Topology infer_topology(const std::vector<PairMatrix>& matrices, const Names& names) {
  Topology topology;
  for (const PairMatrix& matrix : matrices) {
    if (!matrix.pairs()) continue;
    const bool rate = matrix.dimension == Dimension::bytes_per_second;
    const auto known = [&](LevelKind kind) {
      return std::any_of(topology.levels.begin(), topology.levels.end(),
                         [&](const Level& l) { return l.kind == kind; });
    };
    if (rate && all_ends(matrix, has_gpu) && stays_in_nodes(matrix) && !known(LevelKind::device_domain)) {
      Level level = level_of(matrix, LevelKind::device_domain, Vertex::gpu, false, device_step);
      if (level.islands.found()) {
        find_strays(level, names, topology.contradictions);
        topology.levels.push_back(std::move(level));
      }
    } else if (all_ends(matrix, has_no_gpu) && stays_in_nodes(matrix) && !known(LevelKind::host_domain)) {
      Level level = level_of(matrix, LevelKind::host_domain, Vertex::slot, false, host_step);
      if (level.islands.count > 1) {
        find_misplaced_ranks(level, names, topology.contradictions);
        topology.levels.push_back(std::move(level));
      }
    }
  }
  add_network(matrices, names, topology);
  return topology;
}

}  // namespace assay::locate
