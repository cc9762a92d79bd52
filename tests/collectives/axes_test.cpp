#include "collectives/mpi/axes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "core/registry.hpp"

namespace assay {
namespace {

using testing::ElementsAre;

std::vector<std::string> values_in(const Axis& axis, Suite suite) {
  std::vector<std::string> values;
  for (const AxisValue& value : axis.values)
    if (value.from <= suite) values.push_back(value.value);
  return values;
}

Layout nodes_of(int nodes, int ranks_each) {
  Layout layout;
  for (int node = 0; node < nodes; ++node) {
    layout.node_names.push_back("node" + std::to_string(node));
    layout.cpus_granted.push_back(1);
    layout.node_of.insert(layout.node_of.end(), static_cast<std::size_t>(ranks_each), node);
  }
  return layout;
}

TEST(AxesTest, SizesOfEachSuite) {
  const Axis axis = mpi::bytes_axis(std::uint64_t{1} << 28);
  EXPECT_THAT(values_in(axis, Suite::quick), ElementsAre("8", "65536", "4194304"));
  EXPECT_THAT(values_in(axis, Suite::standard), ElementsAre("8", "16", "64", "256", "1024", "4096", "16384", "65536",
                                                            "262144", "1048576", "4194304", "16777216", "67108864"));
  EXPECT_EQ(values_in(axis, Suite::full).size(), 26U);
  EXPECT_EQ(axis.values.back().value, "268435456");
}

TEST(AxesTest, NodesAppearOnlyWhereTheyMakeADifference) {
  const Layout one = Layout::single_node(4, 2);
  EXPECT_THAT(values_in(mpi::ranks_axis(one), Suite::quick), ElementsAre("all"));
  EXPECT_THAT(values_in(mpi::between_axis(one), Suite::quick), ElementsAre("node"));
  const Layout two = nodes_of(2, 2);
  EXPECT_THAT(values_in(mpi::ranks_axis(two), Suite::quick), ElementsAre("all", "node"));
  EXPECT_THAT(values_in(mpi::between_axis(two), Suite::quick), ElementsAre("node", "nodes"));
  const Layout lonely = nodes_of(2, 1);
  EXPECT_THAT(values_in(mpi::ranks_axis(lonely), Suite::quick), ElementsAre("all"));
  EXPECT_THAT(values_in(mpi::between_axis(lonely), Suite::quick), ElementsAre("nodes"));
}

TEST(AxesTest, SetsTakeEveryRankAlsoBeyondTheCpus) {
  const Layout layout = nodes_of(2, 3);
  EXPECT_THAT(mpi::ranks_sets(layout, Point::parse("ranks:all").value()), ElementsAre(ElementsAre(0, 1, 2, 3, 4, 5)));
  EXPECT_THAT(mpi::ranks_sets(layout, Point::parse("ranks:node").value()),
              ElementsAre(ElementsAre(0, 1, 2), ElementsAre(3, 4, 5)));
  EXPECT_THAT(mpi::between_sets(layout, Point::parse("between:node").value()), ElementsAre(ElementsAre(0, 1)));
  EXPECT_THAT(mpi::between_sets(layout, Point::parse("between:nodes").value()), ElementsAre(ElementsAre(0, 3)));
}

/// How often each pair works over all points of mpi.pairs with `bytes` in a suite.
std::map<std::vector<int>, int> pairings(const Layout& layout, Suite suite) {
  const CaseInfo& info = *builtin_cases().find("mpi.pairs");
  std::map<std::vector<int>, int> count;
  for (const Point& point : points_of(info, suite, layout)) {
    if (point.get("bytes") != "8") continue;
    std::set<int> busy;
    for (const std::vector<int>& pair : info.sets(layout, point)) {
      EXPECT_EQ(pair.size(), 2U);
      EXPECT_LT(pair[0], pair[1]);
      for (const int rank : pair) EXPECT_TRUE(busy.insert(rank).second) << "rank " << rank << " in two pairs at once";
      ++count[pair];
    }
  }
  return count;
}

TEST(PairsTest, EveryPairMeetsOnce) {
  for (int ranks = 2; ranks <= 9; ++ranks) {
    const auto count = pairings(Layout::single_node(ranks, 2), Suite::quick);
    EXPECT_EQ(count.size(), static_cast<std::size_t>(ranks * (ranks - 1) / 2)) << ranks;
    for (const auto& [pair, times] : count) EXPECT_EQ(times, 1) << pair[0] << "-" << pair[1];
  }
}

TEST(PairsTest, ManyRanksMeetByNodesFirst) {
  const Layout layout = nodes_of(33, 2);
  const auto count = pairings(layout, Suite::quick);
  EXPECT_EQ(count.size(), 33U * 32U / 2U);
  for (const auto& [pair, times] : count) {
    EXPECT_EQ(times, 1);
    for (const int rank : pair) EXPECT_EQ(rank % 2, 0) << "not the first rank of its node";
  }
  EXPECT_EQ(pairings(layout, Suite::full).size(), 66U * 65U / 2U);
  EXPECT_EQ(pairings(nodes_of(1, 66), Suite::quick).size(), 66U * 65U / 2U) << "one node has no other";
}

}  // namespace
}  // namespace assay
