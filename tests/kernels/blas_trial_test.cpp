#include "kernels/host/blas_trial.hpp"

#include <gmock/gmock.h>

#include <cstdlib>

#include "core/clock.hpp"
#include "core/error.hpp"

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A child that plays each kernel's part as the script says; the kernel is $0.
BlasChoice choose_from(const std::vector<std::string>& candidates, Seconds each = Seconds(5),
                       Seconds all = Seconds(20)) {
  const std::string script = R"(case "$0" in
    "") echo "rate=4e10 correct=yes corename=Haswell";;
    FAST) echo "rate=8e10 correct=yes corename=Fast";;
    SAME) echo "rate=4.1e10 correct=yes corename=Same";;
    WRONG) echo "rate=0 correct=no corename=Wrong";;
    BOASTER) echo "rate=9e99 correct=no corename=Boaster";;
    CRASH) echo "rate=9e11 correct=yes corename=Crash"; kill -ILL $$;;
    HANG) exec sleep 30;;
    MUTE) ;;
    GARBAGE) echo "rate=nan correct=yes corename=Garbage";;
    ERROR) echo "error=OpenBLAS runs its Haswell kernels, not ERROR"; exit 4;;
    EXIT) exit 3;;
  esac)";
  return choose_blas_kernel({"/bin/sh", "-c", script}, candidates, each, all);
}

std::string outcome_of(const BlasChoice& choice, const std::string& kernel) {
  for (const BlasTrial& trial : choice.trials) {
    if (trial.kernel == kernel) return trial.outcome;
  }
  return "absent";
}

TEST(ChooseBlasKernel, TakesTheFastestThatIsRight) {
  const BlasChoice choice = choose_from({"", "WRONG", "FAST", "CRASH", "BOASTER"});
  EXPECT_EQ(choice.kernel, "FAST");
  EXPECT_EQ(choice.corename, "Fast");
  EXPECT_EQ(choice.rate.value, 8e10);
  EXPECT_EQ(choice.trials.size(), 5U);
}

TEST(ChooseBlasKernel, KeepsTheEarlierOfTwoThatAreAsFast) {
  const BlasChoice choice = choose_from({"", "SAME"});
  EXPECT_EQ(choice.kernel, "");
  EXPECT_EQ(choice.rate.value, 4e10);
}

TEST(ChooseBlasKernel, SaysWhyTheOthersAreOut) {
  const BlasChoice choice = choose_from({"", "WRONG", "CRASH", "MUTE", "GARBAGE", "ERROR", "EXIT"});
  EXPECT_EQ(choice.kernel, "");
  EXPECT_EQ(outcome_of(choice, ""), "ok");
  EXPECT_EQ(outcome_of(choice, "WRONG"), "wrong result");
  EXPECT_THAT(outcome_of(choice, "CRASH"), HasSubstr("killed by signal 4"));
  EXPECT_EQ(outcome_of(choice, "MUTE"), "no measurement in its output");
  EXPECT_EQ(outcome_of(choice, "GARBAGE"), "no measurement in its output");
  EXPECT_EQ(outcome_of(choice, "ERROR"), "OpenBLAS runs its Haswell kernels, not ERROR");
  EXPECT_EQ(outcome_of(choice, "EXIT"), "exit code 3");
}

TEST(ChooseBlasKernel, AHangingCandidateCostsItsShareOfTimeOnly) {
  const double start = monotonic_seconds();
  const BlasChoice choice = choose_from({"HANG", "FAST"}, Seconds(0.3));
  EXPECT_LT(monotonic_seconds() - start, 5);
  EXPECT_EQ(outcome_of(choice, "HANG"), "timed out");
  EXPECT_EQ(choice.kernel, "FAST");
}

TEST(ChooseBlasKernel, StopsWhenTheTimeForAllIsSpent) {
  const BlasChoice choice = choose_from({"", "HANG", "FAST"}, Seconds(60), Seconds(1));
  EXPECT_EQ(choice.kernel, "");
  EXPECT_EQ(outcome_of(choice, "FAST"), "not tried: no time left");
}

TEST(ChooseBlasKernel, DoesNotTryTheLibrarysOwnKernelsTwice) {
  EXPECT_EQ(outcome_of(choose_from({"", "HASWELL", "FAST"}), "HASWELL"), "absent");
}

TEST(ChooseBlasKernel, WithoutAnyThatWorksIsAnErrorWithEveryReason) {
  try {
    (void)choose_from({"WRONG", "EXIT"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::environment);
    EXPECT_THAT(error.what(), HasSubstr("WRONG: wrong result; EXIT: exit code 3"));
  }
}

TEST(BlasChoice, SummaryStartsWithTheChosen) {
  EXPECT_EQ(choose_from({"", "CRASH", "FAST"}).summary().substr(0, 4), "FAST");
  EXPECT_THAT(choose_from({"", "EXIT"}).summary(), HasSubstr("(Haswell); EXIT: exit code 3"));
}

TEST(BlasCandidates, FollowTheFlagsOfTheCpu) {
  EXPECT_THAT(blas_candidates({}, std::nullopt), ElementsAre(""));
  EXPECT_THAT(blas_candidates({.avx2 = true}, std::nullopt), ElementsAre("", "ZEN", "HASWELL"));
  EXPECT_THAT(blas_candidates({.avx2 = true, .avx512 = true}, std::nullopt),
              ElementsAre("", "SKYLAKEX", "ZEN", "HASWELL"));
  EXPECT_THAT(blas_candidates({.avx2 = true, .avx512 = true, .avx512_bf16 = true, .amx = true}, std::nullopt),
              ElementsAre("", "SAPPHIRERAPIDS", "COOPERLAKE", "SKYLAKEX", "ZEN", "HASWELL"));
}

TEST(BlasCandidates, APresetKernelIsOneMore) {
  EXPECT_THAT(blas_candidates({}, "NEHALEM"), ElementsAre("", "NEHALEM"));
  EXPECT_THAT(blas_candidates({.avx2 = true}, "ZEN"), ElementsAre("", "ZEN", "HASWELL"));
  EXPECT_THAT(blas_candidates({}, ""), ElementsAre(""));
}

TEST(BlasTrialMain, ChoosesAKernelOfTheRealLibrary) {
  const BlasChoice choice = choose_blas_kernel({BLAS_TRIAL_CHILD}, blas_candidates(), Seconds(20), Seconds(120));
  EXPECT_FALSE(choice.corename.empty());
  EXPECT_GT(choice.rate.value, 1e8);
  ASSERT_FALSE(choice.trials.empty());
  EXPECT_TRUE(choice.trials.front().usable()) << choice.trials.front().outcome;
  RecordProperty("summary", choice.summary());
}

TEST(BlasTrialMain, TheLibrarysOwnChoiceIsNotThePresetOne) {
  const auto own = [] { return choose_blas_kernel({BLAS_TRIAL_CHILD}, {""}, Seconds(20), Seconds(60)).corename; };
  const std::string without = own();
  ASSERT_NE(without, "Nehalem");
  setenv("OPENBLAS_CORETYPE", "NEHALEM", 1);
  const std::string with = own();
  unsetenv("OPENBLAS_CORETYPE");
  EXPECT_EQ(with, without);
}

TEST(BlasTrialMain, RejectsKernelsThatTheLibraryDoesNotHave) {
  EXPECT_THAT(outcome_of(choose_blas_kernel({BLAS_TRIAL_CHILD}, {"", "NO_SUCH"}, Seconds(20), Seconds(60)), "NO_SUCH"),
              HasSubstr("not NO_SUCH"));
}

}  // namespace
}  // namespace assay
