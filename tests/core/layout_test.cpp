#include "core/layout.hpp"

#include <map>
#include <set>
#include <utility>

#include <gtest/gtest.h>

namespace assay {
namespace {

/// Ranks dealt round-robin: node a has 0, 2, 4; node b has 1, 3.
Layout two_nodes(int cpus_a, int cpus_b) { return {{0, 1, 0, 1, 0}, {"a", "b"}, {cpus_a, cpus_b}}; }

TEST(Layout, KnowsItsRanks) {
  const Layout layout = two_nodes(8, 8);
  EXPECT_EQ(layout.ranks(), 5);
  EXPECT_EQ(layout.nodes(), 2);
  EXPECT_EQ(layout.ranks_on(0), (std::vector<int>{0, 2, 4}));
  EXPECT_EQ(layout.ranks_on(1), (std::vector<int>{1, 3}));
  const Layout single = Layout::single_node(3, 2);
  EXPECT_EQ(single.ranks_on(0), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(single.cpus_granted, (std::vector<int>{2}));
}

TEST(RankSets, FillingNeverSharesACpu) {
  EXPECT_EQ(everyone(two_nodes(1, 1)), (RankSets{{0, 1, 2, 3, 4}}));
  EXPECT_EQ(one_rank(two_nodes(1, 1)), (RankSets{{0}}));
  EXPECT_EQ(filling(two_nodes(8, 8)), (RankSets{{0, 1, 2, 3, 4}}));
  EXPECT_EQ(filling(two_nodes(2, 1)), (RankSets{{0, 1, 2}}));
  EXPECT_EQ(filling_each_node(two_nodes(2, 8)), (RankSets{{0, 2}, {1, 3}}));
  EXPECT_EQ(filling_each_node(two_nodes(0, 1)), (RankSets{{0}, {1}}));
}

TEST(RankSets, PairsAreChosenWithinAndAcrossNodes) {
  EXPECT_EQ(pair_in_node(two_nodes(8, 8)), (RankSets{{0, 2}}));
  EXPECT_EQ(pair_in_node({{0, 1, 1}, {"a", "b"}, {1, 1}}), (RankSets{{1, 2}}));
  EXPECT_EQ(pair_in_node(Layout::single_node(1, 1)), RankSets{});
  EXPECT_EQ(pair_across_nodes(two_nodes(8, 8)), (RankSets{{0, 1}}));
  EXPECT_EQ(pair_across_nodes({{1, 0}, {"a", "b"}, {1, 1}}), (RankSets{{0, 1}}));
  EXPECT_EQ(pair_across_nodes(Layout::single_node(4, 4)), RankSets{});
}

TEST(Tournament, PairsEveryTwoMembersOnceInDisjointRounds) {
  for (int members = 0; members <= 17; ++members) {
    SCOPED_TRACE(members);
    const int rounds = tournament_rounds(members);
    EXPECT_EQ(rounds, members < 2 ? 0 : members % 2 == 0 ? members - 1 : members);
    std::map<std::pair<int, int>, int> met;
    for (int round = 0; round < rounds; ++round) {
      std::set<int> busy;
      for (const auto& pair : tournament_round(members, round)) {
        ASSERT_EQ(pair.size(), 2u);
        EXPECT_LT(pair[0], pair[1]);
        EXPECT_TRUE(busy.insert(pair[0]).second);
        EXPECT_TRUE(busy.insert(pair[1]).second);
        ++met[{pair[0], pair[1]}];
      }
      EXPECT_EQ(static_cast<int>(busy.size()), members - members % 2);
      EXPECT_TRUE(busy.empty() || (*busy.begin() >= 0 && *busy.rbegin() < members));
    }
    EXPECT_EQ(static_cast<int>(met.size()), members * (members - 1) / 2);
    for (const auto& [pair, times] : met) EXPECT_EQ(times, 1) << pair.first << "-" << pair.second;
  }
}

TEST(GpuSets, TakeOnlyRanksThatHaveAGpu) {
  Layout layout = Layout::with_gpus(2, 4);
  EXPECT_EQ(gpu_ranks(layout), (RankSets{{0, 1, 2, 3, 4, 5, 6, 7}}));
  layout.gpu_of = {0, 1, -1, 3, 0, 1, 2, 3};  // rank 2 found none
  EXPECT_FALSE(layout.has_gpu(2));
  EXPECT_EQ(gpu_ranks(layout), (RankSets{{0, 1, 3, 4, 5, 6, 7}}));
  EXPECT_EQ(gpu_ranks_each_node(layout), (RankSets{{0, 1, 3}, {4, 5, 6, 7}}));
  EXPECT_EQ(gpu_rank_alone(layout, 2), (RankSets{{6}}));
  EXPECT_EQ(gpu_rank_alone(layout, 3), (RankSets{{3}, {7}}));
  EXPECT_EQ(gpu_rank_alone(layout, 4), RankSets{});
  EXPECT_EQ(gpu_rails(layout), (RankSets{{0, 4}, {1, 5}, {6}, {3, 7}}));
  EXPECT_EQ(gpus_on_fullest_node(layout), 4);
}

TEST(GpuSets, AreEmptyWithoutGpus) {
  const Layout layout = Layout::single_node(4, 4);
  EXPECT_FALSE(layout.has_gpu(0));
  EXPECT_EQ(gpu_ranks(layout), RankSets{});
  EXPECT_EQ(gpu_ranks_each_node(layout), RankSets{});
  EXPECT_EQ(gpu_rank_alone(layout, 0), RankSets{});
  EXPECT_EQ(gpu_rails(layout), RankSets{});
  EXPECT_EQ(gpus_on_fullest_node(layout), 0);
}

TEST(Layout, FormatsRanksAsRanges) {
  EXPECT_EQ(format_ranks({}), "");
  EXPECT_EQ(format_ranks({5}), "5");
  EXPECT_EQ(format_ranks({0, 1, 2, 3, 8}), "0-3,8");
  EXPECT_EQ(format_ranks({0, 2, 3, 7, 8, 9}), "0,2-3,7-9");
}

}  // namespace
}  // namespace assay
