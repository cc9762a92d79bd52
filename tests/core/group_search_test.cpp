#include "core/group_search.hpp"

#include <algorithm>
#include <bit>
#include <set>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/random.hpp"

namespace assay {
namespace {

/// What is really broken.
struct Truth {
  std::set<int> members = {};
  std::set<std::pair<int, int>> pairs = {};

  [[nodiscard]] bool passes(const std::vector<int>& group) const {
    for (const int a : group) {
      if (members.count(a) > 0) return false;
      for (const int b : group) {
        if (pairs.count({a, b}) > 0) return false;
      }
    }
    return true;
  }
};

void check_round(const RankSets& groups) {
  std::set<int> busy;
  for (const auto& group : groups) {
    EXPECT_GE(group.size(), 2U);
    for (const int member : group) EXPECT_TRUE(busy.insert(member).second) << member << " is in two groups";
  }
}

GroupSearch::Findings search(int members, std::uint64_t seed, const Truth& truth, int& rounds) {
  GroupSearch search(members, seed);
  for (RankSets groups = search.next(); !groups.empty(); groups = search.next()) {
    check_round(groups);
    std::vector<bool> passed;
    for (const auto& group : groups) passed.push_back(truth.passes(group));
    search.report(passed);
    if (search.rounds() > 1000) throw Error(ExitCode::environment, "the search does not end");
  }
  rounds = search.rounds();
  return search.findings();
}

int log2_up(int n) { return std::bit_width(static_cast<unsigned>(n - 1)); }

TEST(GroupSearch, FindsOneBadMemberInLogarithmicallyManyRounds) {
  for (const int members : {4, 5, 6, 7, 8, 13, 64, 100, 1024}) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const int bad = static_cast<int>(Random(seed).below(static_cast<std::uint64_t>(members)));
      int rounds = 0;
      const auto found = search(members, seed, {.members = {bad}}, rounds);
      EXPECT_EQ(found.members, std::vector<int>{bad}) << members;
      EXPECT_TRUE(found.pairs.empty());
      EXPECT_TRUE(found.undecided.empty());
      EXPECT_LE(rounds, log2_up(members) + 2) << members;
    }
  }
}

TEST(GroupSearch, FindsSeveralBadMembersInTheSameRounds) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Random random(seed);
    Truth truth;
    while (truth.members.size() < 5) truth.members.insert(static_cast<int>(random.below(512)));
    int rounds = 0;
    const auto found = search(512, seed, truth, rounds);
    EXPECT_EQ(std::set<int>(found.members.begin(), found.members.end()), truth.members);
    EXPECT_LE(rounds, 9 + 2);
  }
}

TEST(GroupSearch, FindsABadPairOfGoodMembers) {
  for (const int members : {4, 5, 7, 8, 11, 64, 1000}) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      Random random(seed);
      const int a = static_cast<int>(random.below(static_cast<std::uint64_t>(members - 1)));
      const int b = a + 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(members - 1 - a)));
      int rounds = 0;
      const auto found = search(members, seed, {.pairs = {{a, b}}}, rounds);
      EXPECT_TRUE(found.members.empty()) << members << " seed " << seed;
      EXPECT_EQ(found.pairs, (std::vector<std::pair<int, int>>{{a, b}})) << members << " seed " << seed;
      EXPECT_LE(rounds, 2 * log2_up(members) + 4) << members;
    }
  }
}

TEST(GroupSearch, SaysWhatItCannotDecide) {
  int rounds = 0;
  const auto two = search(2, 1, {.members = {0}}, rounds);
  EXPECT_TRUE(two.members.empty());
  EXPECT_EQ(two.undecided, (RankSets{{0, 1}}));
  // All bad: nobody is a partner that works.
  Truth all;
  for (int member = 0; member < 8; ++member) all.members.insert(member);
  const auto none_good = search(8, 1, all, rounds);
  EXPECT_TRUE(none_good.members.empty());
  EXPECT_EQ(none_good.undecided.size(), 4U);
}

TEST(GroupSearch, AFailureOfTheWholeAloneIsUndecided) {
  GroupSearch search(16, 3);
  while (!search.next().empty()) {
    search.report(std::vector<bool>(search.next().size(), true));
    ASSERT_LT(search.rounds(), 20);
  }
  EXPECT_TRUE(search.findings().members.empty());
  ASSERT_EQ(search.findings().undecided.size(), 1U);
  EXPECT_EQ(search.findings().undecided[0].size(), 16U);
}

TEST(GroupSearch, WantsAnAnswerForEachGroup) {
  GroupSearch search(8, 1);
  EXPECT_EQ(search.next().size(), 2U);
  EXPECT_THROW(search.report({true}), Error);
}

}  // namespace
}  // namespace assay
