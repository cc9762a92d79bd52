#include "launcher/run/gpu_assignment.hpp"

#include <gmock/gmock.h>

#include <fmt/format.h>

#include <numeric>

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

VisibleGpu gpu(int number) { return {fmt::format("0000:{:02x}:00.0", 0x10 + number), fmt::format("GPU-{}", number)}; }

std::vector<VisibleGpu> gpus(int number) {
  std::vector<VisibleGpu> all;
  for (int i = 0; i < number; ++i) all.push_back(gpu(i));
  return all;
}

/// Ranks that all see all GPUs of the node.
std::vector<RankView> ranks(int number, int cards) {
  std::vector<RankView> all;
  for (int i = 0; i < number; ++i) all.push_back({i, gpus(cards), {}, false});
  return all;
}

std::vector<int> numbers(int first, int count) {
  std::vector<int> all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), first);
  return all;
}

TEST(AssignGpus, InOrderWhenNothingElseIsKnown) {
  EXPECT_THAT(assign_gpus(ranks(4, 4), {}, false).chosen, ElementsAre(0, 1, 2, 3));
}

TEST(AssignGpus, ByIdentityWhateverTheOrderInWhichARankSeesThem) {
  auto all = ranks(2, 2);
  std::swap(all[1].visible[0], all[1].visible[1]);
  const auto result = assign_gpus(all, {}, false);
  EXPECT_NE(all[0].visible[static_cast<std::size_t>(result.chosen[0])],
            all[1].visible[static_cast<std::size_t>(result.chosen[1])]);
  EXPECT_THAT(result.chosen, ElementsAre(0, 0));
}

TEST(AssignGpus, OneVisibleDeviceForEachRank) {
  std::vector<RankView> all;
  for (int i = 0; i < 4; ++i) all.push_back({i, {gpu(3 - i)}, {}, true});
  const auto result = assign_gpus(all, {}, false);
  EXPECT_THAT(result.chosen, ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(result.refused, IsEmpty());
}

TEST(AssignGpus, NearTheCoresThatTheLauncherBound) {
  auto all = ranks(4, 4);
  const std::vector<NearCpus> near{{gpu(0).bus_id, numbers(0, 8)},
                                   {gpu(1).bus_id, numbers(0, 8)},
                                   {gpu(2).bus_id, numbers(8, 8)},
                                   {gpu(3).bus_id, numbers(8, 8)}};
  all[0].bound = {8};  // the launcher went the other way round
  all[1].bound = {12};
  all[2].bound = {0};
  all[3].bound = {4};
  EXPECT_THAT(assign_gpus(all, near, false).chosen, ElementsAre(2, 3, 0, 1));
}

TEST(AssignGpus, AsManyNearOnesAsCanBe) {
  auto all = ranks(2, 2);
  const std::vector<NearCpus> near{{gpu(0).bus_id, numbers(0, 8)}, {gpu(1).bus_id, numbers(8, 8)}};
  all[0].bound = numbers(0, 16);  // near both: must leave the first to the second rank
  all[1].bound = {3};
  EXPECT_THAT(assign_gpus(all, near, false).chosen, ElementsAre(1, 0));
}

TEST(AssignGpus, FarIsBetterThanNone) {
  auto all = ranks(2, 2);
  const std::vector<NearCpus> near{{gpu(0).bus_id, numbers(0, 8)}, {gpu(1).bus_id, numbers(8, 8)}};
  all[0].bound = all[1].bound = {1};
  EXPECT_THAT(assign_gpus(all, near, false).chosen, ElementsAre(0, 1));
}

TEST(AssignGpus, ARankTooManyGoesWithoutAndSaysWhy) {
  const auto result = assign_gpus(ranks(8, 7), {}, false);
  EXPECT_EQ(result.chosen.back(), -1);
  EXPECT_THAT(result.why.back(), HasSubstr("the 8 ranks of the node see 7"));
  EXPECT_THAT(result.refused, IsEmpty());
  EXPECT_THAT(result.why.front(), IsEmpty());
}

TEST(AssignGpus, RanksPutOnOneGpuByTheLauncherAreRefused) {
  std::vector<RankView> all{{4, {gpu(0)}, {}, true}, {5, {gpu(1)}, {}, true}, {6, {gpu(0)}, {}, true}};
  EXPECT_THAT(assign_gpus(all, {}, false).refused, HasSubstr("ranks 4,6 were all given the one GPU 0000:10:00.0"));
  const auto shared = assign_gpus(all, {}, true);
  EXPECT_THAT(shared.refused, IsEmpty());
  EXPECT_THAT(shared.chosen, ElementsAre(0, 0, 0));
}

TEST(AssignGpus, OneCardAndTwoRanksWithoutRestrictionIsNoMistake) {
  const auto result = assign_gpus(ranks(2, 1), {}, false);
  EXPECT_THAT(result.refused, IsEmpty());
  EXPECT_THAT(result.chosen, ElementsAre(0, -1));
}

TEST(AssignGpus, SharingSpreadsTheRanks) {
  EXPECT_THAT(assign_gpus(ranks(6, 2), {}, true).chosen, ElementsAre(0, 1, 0, 1, 0, 1));
}

TEST(AssignGpus, PartsOfOneCardAreDifferentGpus) {
  const VisibleGpu first{"0000:10:00.0", "MIG-a"};
  const VisibleGpu second{"0000:10:00.0", "MIG-b"};
  const auto result = assign_gpus({{0, {first}, {}, true}, {1, {second}, {}, true}}, {}, false);
  EXPECT_THAT(result.refused, IsEmpty());
  EXPECT_THAT(result.chosen, ElementsAre(0, 0));
}

TEST(AssignGpus, NoGpuAnywhere) {
  const auto result = assign_gpus(ranks(2, 0), {}, false);
  EXPECT_THAT(result.chosen, ElementsAre(-1, -1));
  EXPECT_THAT(result.why, ElementsAre("", ""));
}

TEST(NearShares, EachGroupDividesItsOwnCpus) {
  const auto shares = near_shares(numbers(0, 16), {numbers(8, 8), numbers(8, 8), numbers(0, 8), numbers(0, 8)});
  EXPECT_THAT(shares, ElementsAre(numbers(8, 4), numbers(12, 4), numbers(0, 4), numbers(4, 4)));
}

TEST(NearShares, AllOnOneSideLeaveNoCpuIdle) {
  const auto shares = near_shares(numbers(0, 8), {numbers(0, 4), numbers(0, 4)});
  EXPECT_THAT(shares, ElementsAre(std::vector{0, 1, 4, 5}, std::vector{2, 3, 6, 7}));
}

TEST(NearShares, WhatIsNotGrantedIsNotTaken) {
  const auto shares = near_shares({1, 3, 9}, {numbers(0, 4), {}, numbers(8, 8)});
  EXPECT_THAT(shares, ElementsAre(std::vector{1}, std::vector{3}, std::vector{9}));
}

}  // namespace
}  // namespace assay
