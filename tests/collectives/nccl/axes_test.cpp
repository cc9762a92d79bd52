#include "collectives/nccl/axes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

namespace assay::nccl {
namespace {

using testing::ElementsAre;

constexpr std::int64_t gib = std::int64_t{1} << 30;

std::vector<std::string> values(const Axis& axis, Suite suite = Suite::full) {
  std::vector<std::string> names;
  for (const AxisValue& value : axis.values)
    if (value.from <= suite) names.push_back(value.value);
  return names;
}

TEST(AxesTest, QuickSizesFitTheSmallestCard) {
  Layout layout = Layout::with_gpus(1, 8);
  layout.gpu.memory_bytes = 80 * gib;
  EXPECT_THAT(values(bytes_axis(layout, sweep_sizes()), Suite::quick), ElementsAre("1048576", "1073741824"));
  EXPECT_EQ(values(bytes_axis(layout, sweep_sizes())).back(), "8589934592");
  layout.gpu.memory_bytes = 40 * gib;
  EXPECT_EQ(values(bytes_axis(layout, sweep_sizes())).back(), "8589934592");
  layout.gpu.memory_bytes = 39 * gib;
  EXPECT_EQ(values(bytes_axis(layout, sweep_sizes())).back(), "4294967296");
}

TEST(AxesTest, ASmallCardKeepsALargeQuickSize) {
  Layout layout = Layout::with_gpus(1, 8);
  layout.gpu.memory_bytes = 2 * gib;
  EXPECT_THAT(values(bytes_axis(layout, sweep_sizes()), Suite::quick), ElementsAre("1048576", "268435456"));
  EXPECT_THAT(values(bytes_axis(layout, single_sizes()), Suite::quick), ElementsAre("268435456"));
}

TEST(AxesTest, OnlySetsThatDifferAreListed) {
  EXPECT_THAT(values(ranks_axis(Layout::with_gpus(1, 2))), ElementsAre("all"));
  EXPECT_THAT(values(ranks_axis(Layout::with_gpus(1, 8))), ElementsAre("all", "halves"));
  EXPECT_THAT(values(ranks_axis(Layout::with_gpus(2, 1))), ElementsAre("all"));
  EXPECT_THAT(values(ranks_axis(Layout::with_gpus(2, 8))), ElementsAre("all", "node", "rail"));
  EXPECT_THAT(values(ranks_axis(Layout::with_gpus(4, 8))), ElementsAre("all", "node", "rail", "node_pairs"));
  EXPECT_THAT(values(ranks_axis(Layout::with_gpus(6, 8))), ElementsAre("all", "node", "rail", "node_pairs", "halves"));
  EXPECT_THAT(values(ranks_axis(Layout::with_gpus(4, 8)), Suite::quick), ElementsAre("all", "node"));
}

TEST(AxesTest, SetsHoldWhatTheirNamesSay) {
  const Layout layout = Layout::with_gpus(3, 2);
  EXPECT_THAT(ranks_sets(layout, "all"), ElementsAre(ElementsAre(0, 1, 2, 3, 4, 5)));
  EXPECT_THAT(ranks_sets(layout, "node"), ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3), ElementsAre(4, 5)));
  EXPECT_THAT(ranks_sets(layout, "rail"), ElementsAre(ElementsAre(0, 2, 4), ElementsAre(1, 3, 5)));
  EXPECT_THAT(ranks_sets(layout, "node_pairs"), ElementsAre(ElementsAre(0, 1, 2, 3)));
  EXPECT_THAT(ranks_sets(layout, "halves"), ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3, 4, 5)));
  EXPECT_THAT(ranks_sets(Layout::with_gpus(1, 4), "halves"), ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3)));
}

TEST(AxesTest, RanksWithoutGpuAreInNoSet) {
  Layout layout = Layout::with_gpus(2, 2);
  layout.gpu_of[1] = -1;
  EXPECT_THAT(ranks_sets(layout, "all"), ElementsAre(ElementsAre(0, 2, 3)));
  EXPECT_THAT(ranks_sets(layout, "node"), ElementsAre(ElementsAre(2, 3)));
  EXPECT_THAT(pair_sets(layout, "node", 0), ElementsAre(ElementsAre(0, 2)));
}

TEST(AxesTest, SmallFloatsNeedHopperAndItsNccl) {
  Layout layout = Layout::with_gpus(1, 8);
  layout.gpu.capability = 90;
  layout.gpu.nccl_version = 22400;
  EXPECT_THAT(values(dtype_axis(layout)), ElementsAre("f32", "bf16", "f16", "i8", "f8"));
  layout.gpu.capability = 89;
  EXPECT_THAT(values(dtype_axis(layout)), ElementsAre("f32", "bf16", "f16", "i8"));
  layout.gpu.capability = 90;
  layout.gpu.nccl_version = 22300;
  EXPECT_THAT(values(dtype_axis(layout)), ElementsAre("f32", "bf16", "f16", "i8"));
}

Point point(const std::string& text) { return *Point::parse(text); }

TEST(AxesTest, OneThingIsVariedAtATime) {
  EXPECT_TRUE(worth_measuring(point("bytes:8/dtype:f32/ranks:all/algo:free/place:out")));
  EXPECT_FALSE(worth_measuring(point("bytes:8/dtype:f32/ranks:all/algo:ring/place:out")));
  EXPECT_TRUE(worth_measuring(point("bytes:1073741824/dtype:f32/ranks:node/algo:ring/place:out")));
  EXPECT_TRUE(worth_measuring(point("bytes:1048576/dtype:bf16/ranks:node/algo:free/place:out")));
  EXPECT_FALSE(worth_measuring(point("bytes:1073741824/dtype:bf16/ranks:all/algo:ring/place:out")));
  EXPECT_FALSE(worth_measuring(point("bytes:1073741824/dtype:f32/ranks:rail/algo:free/place:in")));
  EXPECT_TRUE(worth_measuring(point("bytes:1073741824/dtype:f32/ranks:rail/algo:free/place:out")));
  EXPECT_FALSE(worth_measuring(point("bytes:8/dtype:f32/ranks:rail/algo:free/place:out")));
}

TEST(AxesTest, EveryPairOfNodesMeetsOnce) {
  const Layout layout = Layout::with_gpus(5, 2);
  std::multiset<std::vector<int>> seen;
  for (const std::string& round : values(round_axis(layout))) {
    for (const auto& set : pair_sets(layout, "node", std::stoi(round))) {
      EXPECT_EQ(set.size(), 4U);
      seen.insert(set);
    }
  }
  EXPECT_EQ(seen.size(), 10U);
  EXPECT_EQ(std::set(seen.begin(), seen.end()).size(), 10U);
}

TEST(AxesTest, EveryPairOfGpusOfANodeMeetsOnceOnAllNodes) {
  Layout layout = Layout::with_gpus(2, 4);
  layout.gpu_of[7] = -1;
  std::set<std::vector<int>> seen;
  std::size_t all = 0;
  for (int round = 0; round < 3; ++round) {
    for (const auto& pair : pair_sets(layout, "gpu", round)) {
      seen.insert(pair);
      ++all;
    }
  }
  EXPECT_EQ(all, 6U + 3U);
  EXPECT_EQ(seen.size(), all);
  EXPECT_TRUE(pair_sets(layout, "gpu", 3).empty());
  EXPECT_EQ(values(level_axis(Layout::with_gpus(1, 4))), std::vector<std::string>{"gpu"});
  EXPECT_EQ(values(level_axis(Layout::with_gpus(3, 1))), std::vector<std::string>{"node"});
}

}  // namespace
}  // namespace assay::nccl
