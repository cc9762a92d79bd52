#include "analysis/pair_effects.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

namespace assay {
namespace {

using ::testing::IsEmpty;

std::vector<PairFigure> matrix(int members, const std::function<double(int, int)>& value) {
  std::vector<PairFigure> pairs;
  for (int a = 0; a < members; ++a) {
    for (int b = a + 1; b < members; ++b) pairs.push_back({a, b, value(a, b)});
  }
  return pairs;
}

TEST(Pairs, HealthyOnesNameNobody) {
  const auto diagnosis = diagnose_pairs(matrix(8, [](int a, int b) { return 100 + ((7 * a + 3 * b) % 5); }));
  EXPECT_THAT(diagnosis.members, IsEmpty());
  EXPECT_THAT(diagnosis.links, IsEmpty());
  EXPECT_THAT(diagnose_pairs({}).members, IsEmpty());
}

TEST(Pairs, OneSlowMemberExplainsAllItsPairs) {
  const auto diagnosis = diagnose_pairs(matrix(8, [](int a, int b) { return a == 3 || b == 3 ? 50.0 : 100.0; }));
  ASSERT_EQ(diagnosis.members.size(), 1u);
  EXPECT_EQ(diagnosis.members[0].member, 3);
  EXPECT_EQ(diagnosis.members[0].slow, 7);
  EXPECT_DOUBLE_EQ(diagnosis.members[0].share, 0.5);
  EXPECT_THAT(diagnosis.links, IsEmpty());
}

TEST(Pairs, TwoSlowMembersAndABadLinkAreToldApart) {
  const auto diagnosis = diagnose_pairs(matrix(10, [](int a, int b) {
    if (a == 1 || b == 1) return 40.0;
    if (a == 6 || b == 6) return 70.0;
    return a == 2 && b == 9 ? 30.0 : 100.0;
  }));
  ASSERT_EQ(diagnosis.members.size(), 2u);
  EXPECT_EQ(diagnosis.members[0].member, 1);
  EXPECT_EQ(diagnosis.members[1].member, 6);
  ASSERT_EQ(diagnosis.links.size(), 1u);
  EXPECT_EQ(diagnosis.links[0].a, 2);
  EXPECT_EQ(diagnosis.links[0].b, 9);
}

TEST(Pairs, OnePairAloneBlamesNeitherOfTheTwo) {
  const auto diagnosis = diagnose_pairs({{0, 4, 25}, {1, 5, 100}, {2, 6, 100}, {3, 7, 100}, {0, 4, 99}});
  EXPECT_THAT(diagnosis.members, IsEmpty());
  ASSERT_EQ(diagnosis.links.size(), 1u);
  EXPECT_DOUBLE_EQ(diagnosis.links[0].value, 25);
}

}  // namespace
}  // namespace assay
