#pragma once

#include <compare>
#include <cstdint>
#include <utility>
#include <vector>

namespace assay {

/// Which nodes are paired. Leaves are the switches that nodes hang on, as far as they are known.
enum class PairScope { everywhere, same_leaf, cross_leaf };

/// What is to be paired across nodes: the nodes themselves (one unit each), their NICs, or their GPUs.
struct PairPlan {
  std::vector<int> units_on_node;  ///< of each node; 0 = the node takes no part
  std::vector<int> leaf_of = {};   ///< of each node; empty = not known, then only PairScope::everywhere
  PairScope scope = PairScope::everywhere;
  int most_rounds = 0;  ///< 0 = as many as it takes to measure every pair of units once
  std::uint64_t seed = 1;
};

/// A unit: NIC or GPU of a node, by its place on the node.
struct UnitEnd {
  int node = 0;
  int unit = 0;
  auto operator<=>(const UnitEnd&) const = default;
};

/// Disjoint pairs of units that work at the same time; in each, the lower end comes first.
using UnitPairs = std::vector<std::pair<UnitEnd, UnitEnd>>;

/// Rounds of disjoint pairs between units of different nodes. Every node meets many others, so that there is no
/// reference node on whose health the answer hangs.
///
/// In a round each node has one partner and unit k meets the partner's unit (k + shift) mod K, K the larger number of
/// units of the two, so that one round loads every unit. All pairs take M * K rounds, with M matchings of the nodes:
///   everywhere  n - 1 (n when odd; circle method)
///   same_leaf   the same of the largest leaf
///   cross_leaf  those of the leaves times the size of the largest one; the first L - 1 rounds (L when odd) meet every
///               pair of leaves
/// With fewer rounds allowed, a seeded subset: different matchings as long as there are some, three of four rounds with
/// shift 0 (equal rails), unless nodes differ in their number of units. Cost: O(rounds * units) time and memory.
/// Throws Error(bad_input) when leaves are needed and not given, or their number is not that of the nodes.
[[nodiscard]] std::vector<UnitPairs> pair_rounds(const PairPlan& plan);

/// Rounds between units of the same node, all nodes at once: as many as the fullest node's tournament has.
[[nodiscard]] std::vector<UnitPairs> pair_rounds_in_nodes(const std::vector<int>& units_on_node);

/// What a schedule reaches.
struct PairCoverage {
  int rounds = 0;
  std::int64_t pairs = 0;           ///< measured, repeats counted
  int least_per_unit = 0;           ///< pairs of the unit that has the fewest; 0 = some unit is never measured
  int least_peers_per_unit = 0;     ///< different partners of the unit that has the fewest
  std::int64_t leaf_pairs = 0;      ///< pairs of different leaves that there are
  std::int64_t leaf_pairs_met = 0;  ///< of these, with at least one measured pair
  [[nodiscard]] double seconds(double seconds_per_round) const { return rounds * seconds_per_round; }
};

/// `leaf_of` may be what the scheduler did not know. Cost: O(pairs log pairs).
[[nodiscard]] PairCoverage coverage_of(const std::vector<UnitPairs>& rounds, const std::vector<int>& units_on_node,
                                       const std::vector<int>& leaf_of = {});

}  // namespace assay
