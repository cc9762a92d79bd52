#include "collectives/nccl/trouble.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "core/error.hpp"
#include "core/thread_group.hpp"

namespace assay::nccl {
namespace {

using testing::HasSubstr;
using testing::Not;

void fail() { throw environment_error("CUDA error 719", "reset the GPU"); }
void be_late() { throw incomplete("not done at its deadline", "wait longer"); }

TEST(TroubleTest, KeepsTheFirstErrorAndSkipsWhatFollows) {
  Trouble trouble;
  EXPECT_FALSE(trouble);
  int steps = 0;
  trouble.guard([&] { ++steps; });
  trouble.guard(fail);
  trouble.guard(be_late);
  trouble.guard([&] { ++steps; });
  EXPECT_TRUE(trouble);
  EXPECT_EQ(steps, 1);
  EXPECT_EQ(trouble.words(), "CUDA error 719");
  EXPECT_EQ(trouble.hint(), "reset the GPU");
  EXPECT_FALSE(trouble.only_late());
}

TEST(TroubleTest, AllRanksThrowTheSameWordsWhenOneFails) {
  constexpr int ranks = 4;
  std::array<std::string, ranks> words;
  run_thread_group(ranks, [&](Group& group) {
    Trouble trouble;
    if (group.rank() == 2) trouble.guard(fail);
    if (group.rank() == 3) trouble.guard(be_late);
    try {
      agree(group, trouble, "AllReduce", "rank " + std::to_string(group.rank()) + " on a node");
    } catch (const Error& error) {
      words[static_cast<std::size_t>(group.rank())] = error.what();
    }
  });
  for (const std::string& text : words) EXPECT_EQ(text, "AllReduce: rank 2 on a node: CUDA error 719");
}

TEST(TroubleTest, NobodyThrowsWithoutTrouble) {
  run_thread_group(3, [](Group& group) { EXPECT_NO_THROW(agree(group, {}, "AllReduce", "here")); });
}

TEST(DiagnosisTest, TheRankThatCameLessFarIsNamed) {
  const std::string text =
      diagnosis({{"rank 0", "late", true, {64, 7}}, {"rank 1", "late", true, {64, 3}}, {"rank 2", "", false, {64, 7}}});
  EXPECT_THAT(text, HasSubstr("rank 1 with 3 of 64 done"));
  EXPECT_THAT(text, Not(HasSubstr("rank 0")));
  EXPECT_THAT(text, HasSubstr("others (7 done)"));
}

TEST(DiagnosisTest, WithoutADifferenceTheOperationIsNamed) {
  const std::string text = diagnosis({{"rank 0", "late", true, {64, 7}}, {"rank 1", "late", true, {64, 7}}});
  EXPECT_THAT(text, HasSubstr("operation 8 of 64 is done on no rank"));
}

TEST(DiagnosisTest, AFailureCountsMoreThanBeingLate) {
  const std::string text =
      diagnosis({{"rank 0", "late", true, {64, 7}}, {"rank 1 (GPU x on node2)", "GPU is lost", false, {2, 0}}});
  EXPECT_EQ(text, "rank 1 (GPU x on node2): GPU is lost");
}

TEST(DiagnosisTest, ManyRanksAreCounted) {
  std::vector<Report> reports;
  for (int rank = 0; rank < 20; ++rank) reports.push_back({"rank " + std::to_string(rank), "broken", false, {}});
  EXPECT_THAT(diagnosis(reports), HasSubstr("rank 7: broken and 12 more"));
}

}  // namespace
}  // namespace assay::nccl
