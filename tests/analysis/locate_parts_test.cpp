#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "analysis/locate/islands.hpp"
#include "analysis/locate/locate.hpp"
#include "analysis/locate/oversubscription.hpp"
#include "analysis/locate/robust.hpp"
#include "analysis/locate/stragglers.hpp"
#include "analysis/locate/topology.hpp"
#include "core/layout.hpp"
#include "core/random.hpp"
#include "core/statistics.hpp"
#include "matrix_builder.hpp"

namespace assay::locate {
namespace {

using test::MatrixBuilder;

TEST(Robust, FastestGroupIsTheSoundMinority) {
  std::vector<double> values;
  for (int i = 0; i < 10; ++i) values.push_back(1 + 0.001 * i);
  for (int i = 0; i < 18; ++i) values.push_back(1.1 + 0.001 * i);
  EXPECT_NEAR(fastest_group(values, 0.02), 1.0045, 0.001);
  EXPECT_NEAR(densest_centre(values, 0.5), 1.108, 0.003);
  EXPECT_TRUE(std::isnan(fastest_group({}, 1)));
}

TEST(Robust, ShorthIgnoresWhatLiesFarAway) {
  Random random(3);
  std::vector<double> values;
  for (int i = 0; i < 400; ++i) {
    double sum = -6;
    for (int k = 0; k < 12; ++k) sum += random.uniform();
    values.push_back(i % 3 == 0 ? 50 + sum : sum);
  }
  EXPECT_NEAR(shorth_scale(values), 1.5, 0.4);  // half of all is three quarters of the sound ones
}

TEST(Robust, QuantilesAndTails) {
  EXPECT_NEAR(normal_quantile_above(0.5), 0, 1e-9);
  EXPECT_NEAR(normal_quantile_above(0.025), 1.959963985, 1e-6);
  EXPECT_NEAR(normal_quantile_above(1e-6), 4.753424309, 1e-6);
  EXPECT_NEAR(std::exp(log_binomial_tail(5, 4, 0.1)), 0.00046, 1e-6);
  EXPECT_EQ(log_binomial_tail(5, 0, 0.1), 0);
}

/// Edges between all vertices; of_vertex: true island of each.
std::vector<Edge> edges_of(const std::vector<int>& of_vertex, double inside, double between, double sigma) {
  Random random(7);
  std::vector<Edge> edges;
  for (std::size_t a = 0; a < of_vertex.size(); ++a) {
    for (std::size_t b = a + 1; b < of_vertex.size(); ++b) {
      const double noise = sigma * 3.4 * (random.uniform() - 0.5);
      edges.push_back({static_cast<std::int32_t>(a), static_cast<std::int32_t>(b),
                       (of_vertex[a] == of_vertex[b] ? inside : between) + noise});
    }
  }
  return edges;
}

TEST(Islands, AreFoundWithoutBeingTold) {
  const std::vector<int> truth{0, 1, 0, 2, 1, 2, 0, 1, 2, 0, 1, 2};
  const Islands found = find_islands(12, edges_of(truth, 0, 0.3, 0.02), 0.1);
  EXPECT_EQ(found.count, 3);
  EXPECT_EQ(found.of, (std::vector<std::int32_t>{0, 1, 0, 2, 1, 2, 0, 1, 2, 0, 1, 2}));
  EXPECT_NEAR(found.between - found.inside, 0.3, 0.02);
}

TEST(Islands, OneModeIsNeverCut) {
  for (int vertices = 3; vertices < 40; ++vertices) {
    const std::vector<int> truth(static_cast<std::size_t>(vertices), 0);
    EXPECT_FALSE(find_islands(vertices, edges_of(truth, 0, 0, 0.15), 0.1).found()) << vertices;
  }
}

TEST(Islands, StandAFewSlowEdgesInside) {
  std::vector<int> truth(16, 0);
  for (std::size_t i = 8; i < 16; ++i) truth[i] = 1;
  auto edges = edges_of(truth, 0, 0.3, 0.01);
  edges[0].value = 1;
  edges[3].value = 0.5;
  EXPECT_EQ(find_islands(16, edges, 0.1).count, 2);
}

TEST(Topology, GpuThatLostItsNvlinkIsNotInTheIslandOfItsNode) {
  MatrixBuilder builder(4, 8, "gpu.peer_copy");
  builder.copies([](const End& from, const End& to) {
    const auto lost = [](const End& end) { return end.node == 2 && end.gpu == 3; };
    return lost(from) || lost(to) ? 20e9 : 380e9;
  });
  const Topology topology = infer_topology({builder.matrix()}, builder.names());
  ASSERT_EQ(topology.contradictions.size(), 1U);
  EXPECT_EQ(topology.contradictions[0].sentence, "GPU 3 of node2 is not in the NVLink island of its node");
}

TEST(Topology, HalvesOfAllNodesAreHowTheyAreBuilt) {
  MatrixBuilder builder(4, 8, "gpu.peer_copy");
  builder.copies([](const End& from, const End& to) { return from.gpu / 4 == to.gpu / 4 ? 25e9 : 12e9; });
  const Topology topology = infer_topology({builder.matrix()}, builder.names());
  EXPECT_TRUE(topology.contradictions.empty());
  ASSERT_EQ(topology.levels.size(), 1U);
  EXPECT_EQ(topology.levels[0].islands.count, 8);
}

TEST(Topology, LeavesAreReadFromLatencies) {
  MatrixBuilder builder(12, 1, "mpi.pairs");
  builder.latencies([](const End& a, const End& b) { return a.node % 3 == b.node % 3 ? 2e-6 : 2.8e-6; });
  const Topology topology = infer_topology({builder.matrix()}, builder.names());
  ASSERT_EQ(topology.levels.size(), 1U);
  EXPECT_EQ(topology.levels[0].kind, LevelKind::leaf);
  EXPECT_EQ(topology.levels[0].islands.count, 3);
  const auto leaf_of = topology.leaf_of(builder.matrix());
  EXPECT_EQ(leaf_of[0], leaf_of[9]);
  EXPECT_NE(leaf_of[0], leaf_of[1]);
}

TEST(Topology, CrossedRailsAreNamed) {
  MatrixBuilder builder(8, 4);
  const auto rail = [](const End& end) {  // NICs 1 and 2 of node 5 are swapped
    return end.node == 5 && (end.nic == 1 || end.nic == 2) ? 3 - end.nic : end.nic;
  };
  builder.across([&](const End& a, const End& b) { return rail(a) == rail(b) ? 50e9 : 35e9; });
  const Topology topology = infer_topology({builder.matrix()}, builder.names());
  ASSERT_EQ(topology.contradictions.size(), 2U);
  EXPECT_EQ(topology.contradictions[0].sentence, "NIC mlx5_1 of node5 is cabled to rail 2 instead of rail 1");
  EXPECT_EQ(topology.contradictions[1].sentence, "NIC mlx5_2 of node5 is cabled to rail 1 instead of rail 2");
}

TEST(Topology, ASlowUplinkIsNamedByItsNodes) {
  MatrixBuilder latencies(12, 1, "mpi.pairs");
  latencies.latencies([](const End& a, const End& b) { return a.node / 4 == b.node / 4 ? 2e-6 : 2.8e-6; });
  MatrixBuilder rates(12, 1);
  rates.across([](const End& a, const End& b) { return (a.node / 4 == 1) != (b.node / 4 == 1) ? 40e9 : 50e9; });
  const Localisation found = locate({latencies.matrix(), rates.matrix()}, rates.names());
  ASSERT_EQ(found.findings.size(), 1U);
  EXPECT_EQ(
      found.findings[0].sentence,
      "the way out of the island of node4, node5 and 2 more delivers 80 % of what its peers do (32 slow pairs have "
      "it in common)");
}

/// Four leaves of eight nodes; in each round all nodes of a leaf exchange with those of another, each way at 1 / ratio.
MatrixBuilder oversubscribed(double ratio) {
  MatrixBuilder builder(32, 1);
  int round = 0;
  for (int shift = 1; shift < 4; ++shift, ++round) {
    for (int leaf = 0; leaf < 4; ++leaf) {
      const int other = leaf ^ shift;
      if (other < leaf) continue;
      for (int i = 0; i < 8; ++i) {
        builder.add(leaf * 8 + i, other * 8 + i, false, -std::log(50e9 / ratio), round);
      }
    }
  }
  for (int turn = 1; turn < 8; ++turn, ++round) {
    for (int a = 0; a < 32; ++a) {
      if ((a ^ turn) > a) builder.add(a, a ^ turn, false, -std::log(50e9), round);
    }
  }
  return builder;
}

TEST(Oversubscription, IsEstimatedFromTheEnds) {
  std::vector<std::int32_t> leaf_of;
  for (int node = 0; node < 32; ++node) leaf_of.push_back(node / 8);
  for (const double ratio : {1.5, 2.0, 4.0}) {
    const auto found = oversubscription_of(oversubscribed(ratio).matrix(), leaf_of);
    ASSERT_TRUE(found.has_value());
    EXPECT_FALSE(found->only_bound);
    EXPECT_NEAR(found->ratio, ratio, 0.05 * ratio);
    EXPECT_LE(found->interval.low, found->ratio);
    EXPECT_GE(found->interval.high, found->ratio);
  }
  const auto none = oversubscription_of(oversubscribed(1).matrix(), leaf_of);
  ASSERT_TRUE(none.has_value());
  EXPECT_TRUE(none->only_bound);
  EXPECT_NEAR(none->ratio, 1, 0.03);
  EXPECT_FALSE(oversubscription_of(oversubscribed(2).matrix(), {}).has_value());
}

/// Blocking collective of 50 us, ranks enter within 1 us of each other; `late` enters 10 us after that.
std::vector<RankTimes> collective(int ranks, int late) {
  Random random(11);
  std::vector<RankTimes> epochs;
  for (int epoch = 0; epoch < 5; ++epoch) {
    RankTimes times{"mpi.all_reduce/bytes:8", epoch, {}, std::vector<double>(static_cast<std::size_t>(ranks) * 20)};
    for (int rank = 0; rank < ranks; ++rank) times.ranks.push_back(rank);
    for (std::size_t i = 0; i < 20; ++i) {
      std::vector<double> entry;
      for (int rank = 0; rank < ranks; ++rank) entry.push_back(random.uniform() * 1e-6 + (rank == late ? 10e-6 : 0));
      const double end = *std::max_element(entry.begin(), entry.end()) + 50e-6;
      for (std::size_t r = 0; r < entry.size(); ++r) times.seconds[r * 20 + i] = end - entry[r];
    }
    epochs.push_back(std::move(times));
  }
  return epochs;
}

TEST(Stragglers, TheRankThatWaitsLeastArrivesLast) {
  const auto found = stragglers_in(collective(16, 5), 32);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].rank, 5);
  EXPECT_EQ(found[0].tardiness, Tardiness::arrives_late);
  EXPECT_NEAR(found[0].delay, 10e-6, 1e-6);
  EXPECT_GT(found[0].share, 0.95);
  EXPECT_LE(found[0].delay_interval.low, found[0].delay);
}

TEST(Stragglers, NobodyIsLateWhenAllAreAlike) {
  EXPECT_TRUE(stragglers_in(collective(16, -1), 32).empty());
  EXPECT_TRUE(stragglers_in(collective(3, 1), 6).empty());
  EXPECT_TRUE(stragglers_in({}, 1).empty());
}

TEST(Stragglers, TheRankThatTakesLongestEndsLate) {
  auto epochs = collective(8, -1);
  for (auto& epoch : epochs) {
    for (std::size_t i = 0; i < 20; ++i) epoch.seconds[2 * 20 + i] += 8e-6;
  }
  const auto found = stragglers_in(epochs, 16);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].rank, 2);
  EXPECT_EQ(found[0].tardiness, Tardiness::ends_late);
}

}  // namespace
}  // namespace assay::locate
