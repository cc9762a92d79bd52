#include "collectives/nccl/neighbours.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

namespace assay::nccl {
namespace {

TEST(NeighbourTest, EveryTwoNeighboursMeetOnce) {
  for (int members = 2; members < 12; ++members) {
    std::set<std::set<int>> seen;
    std::size_t all = 0;
    for (const auto& round : neighbour_rounds(members)) {
      std::set<int> busy;
      for (const auto& [first, second] : round) {
        EXPECT_TRUE((second - first + members) % members == 1 || (first - second + members) % members == 1);
        EXPECT_TRUE(busy.insert(first).second) << members;
        EXPECT_TRUE(busy.insert(second).second) << members;
        seen.insert({first, second});
        ++all;
      }
    }
    EXPECT_EQ(all, members == 2 ? 1U : static_cast<std::size_t>(members)) << members;
    EXPECT_EQ(seen.size(), all) << members;
  }
  EXPECT_TRUE(neighbour_rounds(1).empty());
}

/// What a ring of `members` says when those in `dead` do nothing and the `cut` pairs do not reach each other.
std::string told(int members, const std::set<int>& dead, const std::set<std::set<int>>& cut = {}) {
  std::vector<std::string> places;
  for (int member = 0; member < members; ++member) places.push_back("rank " + std::to_string(member));
  std::vector<Link> links;
  for (const auto& round : neighbour_rounds(members))
    for (const auto& [first, second] : round)
      links.push_back(
          {first, second, dead.count(first) == 0 && dead.count(second) == 0 && cut.count({first, second}) == 0});
  return blame(places, links);
}

TEST(BlameTest, ASilentMemberIsNamedAlone) {
  EXPECT_EQ(told(8, {5}), "tried in pairs, rank 5 answers no neighbour");
  EXPECT_EQ(told(9, {0}), "tried in pairs, rank 0 answers no neighbour");
  EXPECT_EQ(told(8, {1, 5}), "tried in pairs, rank 1 and rank 5 answer no neighbour");
}

TEST(BlameTest, ABrokenWayIsNamedByItsEnds) {
  EXPECT_EQ(told(8, {}, {{7, 0}}), "tried in pairs, no answer between rank 7 and rank 0");
  EXPECT_EQ(told(2, {1}), "tried in pairs, no answer between rank 0 and rank 1");
}

TEST(BlameTest, WithoutAFindingNothingIsSaid) { EXPECT_EQ(told(6, {}), ""); }

TEST(BlameTest, WhenAllAreSilentPairsAreCounted) {
  EXPECT_THAT(told(8, {0, 1, 2, 3, 4, 5, 6, 7}), testing::HasSubstr("and 4 more pairs"));
}

}  // namespace
}  // namespace assay::nccl
