#include "core/pair_schedule.hpp"

#include <map>
#include <set>

#include <gtest/gtest.h>

#include "core/error.hpp"

namespace assay {
namespace {

using UnitPair = std::pair<UnitEnd, UnitEnd>;

/// Every round is disjoint and joins different nodes (or, if told, the same one); returns how often each pair occurs.
std::map<UnitPair, int> checked(const std::vector<UnitPairs>& rounds, bool same_node = false) {
  std::map<UnitPair, int> times;
  for (const UnitPairs& round : rounds) {
    std::set<UnitEnd> busy;
    for (const UnitPair& pair : round) {
      EXPECT_EQ(pair.first.node == pair.second.node, same_node);
      EXPECT_LT(pair.first, pair.second);
      EXPECT_TRUE(busy.insert(pair.first).second);
      EXPECT_TRUE(busy.insert(pair.second).second);
      ++times[pair];
    }
  }
  return times;
}

TEST(PairSchedule, MeasuresEveryPairOnceWhenThereAreFewNodes) {
  for (int nodes = 1; nodes <= 7; ++nodes) {
    for (int nics = 1; nics <= 4; ++nics) {
      const auto rounds = pair_rounds({.units_on_node = std::vector<int>(static_cast<std::size_t>(nodes), nics)});
      const auto times = checked(rounds);
      EXPECT_EQ(times.size(), static_cast<std::size_t>(nodes * (nodes - 1) / 2 * nics * nics)) << nodes << ' ' << nics;
      for (const auto& [pair, count] : times) EXPECT_EQ(count, 1);
      const int matchings = nodes < 2 ? 0 : nodes - 1 + nodes % 2;
      EXPECT_EQ(rounds.size(), static_cast<std::size_t>(matchings * nics));
    }
  }
}

TEST(PairSchedule, MeasuresEveryPairOfUnevenNodesOnce) {
  const std::vector<int> nics{4, 2, 0, 3, 1};
  const auto times = checked(pair_rounds({.units_on_node = nics}));
  EXPECT_EQ(times.size(), 4U * 2 + 4 * 3 + 4 * 1 + 2 * 3 + 2 * 1 + 3 * 1);
  for (const auto& [pair, count] : times) EXPECT_EQ(count, 1);
}

TEST(PairSchedule, PairsWithinNodesOfDifferentSize) {
  const auto times = checked(pair_rounds_in_nodes({4, 1, 3}), true);
  EXPECT_EQ(times.size(), 6U + 3U);
  EXPECT_EQ(pair_rounds_in_nodes({4, 1, 3}).size(), 3U);
  EXPECT_TRUE(pair_rounds_in_nodes({1, 1}).empty());
}

TEST(PairSchedule, KeepsToItsLeaves) {
  const std::vector<int> leaf_of{0, 0, 0, 1, 1, 2};
  const std::vector<int> nics(6, 2);
  const auto inside = checked(pair_rounds({.units_on_node = nics, .leaf_of = leaf_of, .scope = PairScope::same_leaf}));
  EXPECT_EQ(inside.size(), (3U + 1U) * 4U);
  const auto across = checked(pair_rounds({.units_on_node = nics, .leaf_of = leaf_of, .scope = PairScope::cross_leaf}));
  EXPECT_EQ(across.size(), (6U + 3U + 2U) * 4U);
  EXPECT_THROW((void)pair_rounds({.units_on_node = nics, .scope = PairScope::same_leaf}), Error);
}

// 1,024 nodes of 8 NICs under 32 leaves that the schedule does not know: 4 of the 8,184 rounds load every NIC 4 times,
// and 12 meet every pair of leaves but a few (expected: each is missed with probability exp(-12 * 512 * 0.97 / 496)).
TEST(PairSchedule, CoversALargeClusterWithinABudget) {
  constexpr int nodes = 1024;
  std::vector<int> leaf_of;
  for (int node = 0; node < nodes; ++node) leaf_of.push_back(node / 32);
  const std::vector<int> nics(nodes, 8);
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const auto four = pair_rounds({.units_on_node = nics, .most_rounds = 4, .seed = seed});
    const PairCoverage small = coverage_of(four, nics, leaf_of);
    EXPECT_EQ(small.rounds, 4);
    EXPECT_GE(small.least_peers_per_unit, 3);
    const auto twelve = pair_rounds({.units_on_node = nics, .most_rounds = 12, .seed = seed});
    const PairCoverage more = coverage_of(twelve, nics, leaf_of);
    EXPECT_EQ(more.least_per_unit, 12);
    EXPECT_EQ(more.pairs, 12 * 4096);
    EXPECT_EQ(more.leaf_pairs, 496);
    EXPECT_GE(more.leaf_pairs_met, 494);
    EXPECT_DOUBLE_EQ(more.seconds(0.25), 3);
    checked(twelve);
  }
}

TEST(PairSchedule, MeetsEveryPairOfKnownLeavesInTheFirstRounds) {
  constexpr int nodes = 1024;
  std::vector<int> leaf_of;
  for (int node = 0; node < nodes; ++node) leaf_of.push_back(node % 32);
  const std::vector<int> nics(nodes, 8);
  const auto rounds =
      pair_rounds({.units_on_node = nics, .leaf_of = leaf_of, .scope = PairScope::cross_leaf, .most_rounds = 31});
  const PairCoverage coverage = coverage_of(rounds, nics, leaf_of);
  EXPECT_EQ(coverage.leaf_pairs_met, 496);
  EXPECT_EQ(coverage.least_per_unit, 31);
}

TEST(PairSchedule, ReportsUnitsThatNobodyMeasures) {
  const PairCoverage coverage = coverage_of({{{{0, 0}, {1, 0}}}}, {1, 2});
  EXPECT_EQ(coverage.least_per_unit, 0);
  EXPECT_EQ(coverage.least_peers_per_unit, 0);
  EXPECT_EQ(coverage_of({}, {}).least_per_unit, 0);
}

TEST(PairSchedule, AnOddNumberOfNodesStillCoversEveryNic) {
  const std::vector<int> nics(1023, 8);
  const PairCoverage coverage = coverage_of(pair_rounds({.units_on_node = nics, .most_rounds = 6}), nics);
  EXPECT_GE(coverage.least_per_unit, 3);
}

TEST(PairSchedule, SeedDecidesTheSubset) {
  const std::vector<int> nics(64, 2);
  EXPECT_EQ(pair_rounds({.units_on_node = nics, .most_rounds = 5, .seed = 7}),
            pair_rounds({.units_on_node = nics, .most_rounds = 5, .seed = 7}));
  EXPECT_NE(pair_rounds({.units_on_node = nics, .most_rounds = 5, .seed = 7}),
            pair_rounds({.units_on_node = nics, .most_rounds = 5, .seed = 8}));
}

}  // namespace
}  // namespace assay
