#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/analysis/synthetic.hpp"

namespace assay {
namespace {

using test::judge_one;
using test::SyntheticRun;
using ::testing::Contains;
using ::testing::HasSubstr;

constexpr const char* own_base = "[scaling]\nefficiency = 1.0\n";  // limit 0.85

/// GEMM of one core, of each node, and of all, in GFLOP/s.
SyntheticRun scaled(double one, const std::vector<double>& nodes, double all) {
  SyntheticRun run(static_cast<int>(nodes.size()), 4);
  const auto plant = [&](const std::string& ranks, std::vector<int> members, double gflops) {
    run.plant({.case_name = "host.gemm",
               .point = "n:1024/dtype:f64/ranks:" + ranks,
               .members = std::move(members),
               .work_kind = "flops",
               .value = gflops * 1e9,
               .spread = 0.001});
  };
  plant("one", {0}, one);
  for (std::size_t node = 0; nodes.size() > 1 && node < nodes.size(); ++node) {
    plant("node", run.ranks_on(static_cast<int>(node)), nodes[node]);
  }
  plant("all", run.all_ranks(), all);
  return run;
}

TEST(Scaling, LinearPasses) {
  EXPECT_EQ(judge_one(scaled(10, {40}, 39).data(), own_base).outcome, Outcome::pass);
  EXPECT_EQ(judge_one(scaled(10, {40, 40}, 78).data(), own_base).outcome, Outcome::pass);
}

TEST(Scaling, LossInTheNodeFails) {
  EXPECT_EQ(judge_one(scaled(10, {24}, 24).data(), own_base).outcome, Outcome::fail);
}

TEST(Scaling, LossBetweenNodesFails) {
  const Verdict verdict = judge_one(scaled(10, {39, 39}, 50).data(), own_base);
  EXPECT_EQ(verdict.outcome, Outcome::fail);
  EXPECT_NEAR(verdict.measured->value, 0.625, 0.001);
  EXPECT_THAT(verdict.notes, Contains(HasSubstr("1 rank -> ranks 4-7 on node2: 97.5 %")));
}

TEST(Scaling, ASlowFirstNodeDoesNotFlatterTheRest) {
  // Rank 0 sits on the slow node: against its own core everything looks better than linear.
  const Verdict verdict = judge_one(scaled(5, {20, 40, 40, 40}, 80).data(), own_base);
  EXPECT_EQ(verdict.outcome, Outcome::fail);
  EXPECT_NEAR(verdict.measured->value, 0.5, 0.001) << "against the best node's core, not the slow one's";
}

TEST(Scaling, AllNodesEquallySlowFailAgainstTheOffer) {
  const std::string offer = std::string(own_base) + "[node]\ncompute_fp64 = \"40 GFLOP/s\"\n";
  const Judgement judgement = test::judge(scaled(5, {20, 20}, 39).data(), offer);
  const Verdict& scaling = judgement.verdicts[0];
  EXPECT_EQ(scaling.clause.key, "scaling.efficiency");
  EXPECT_EQ(scaling.outcome, Outcome::fail);
  EXPECT_THAT(scaling.member, HasSubstr("advertised compute"));
  EXPECT_THAT(scaling.notes, Contains(HasSubstr("own base (rank 0 on node1): 97.5 %")));
  EXPECT_THAT(scaling.notes, Contains(HasSubstr("(2 x advertised compute): 48.8 %")));
}

TEST(Scaling, MissingNodesCountAgainstTheOfferUnlessPartial) {
  const std::string offer = std::string(own_base) + "[node]\ncompute_fp64 = \"40 GFLOP/s\"\n[cluster]\nnodes = 4\n";
  const SyntheticRun run = scaled(10, {40, 40}, 79);
  SyntheticRun copy = run;
  EXPECT_EQ(test::judge(copy.data(), offer).verdicts[0].outcome, Outcome::fail);
  EXPECT_EQ(test::judge(copy.data(), offer, true).verdicts[0].outcome, Outcome::pass);
}

TEST(Scaling, BetterThanPossibleIsInvalid) {
  const Verdict verdict = judge_one(scaled(10, {60}, 60).data(), own_base);
  EXPECT_EQ(verdict.outcome, Outcome::invalid);
  EXPECT_THAT(verdict.reason, HasSubstr("an efficiency of 1.50 cannot be"));
}

TEST(Scaling, WithoutABaseItIsNotTested) {
  SyntheticRun run;
  run.plant({.case_name = "host.gemm",
             .point = "n:1024/dtype:f64/ranks:all",
             .members = run.all_ranks(),
             .work_kind = "flops",
             .value = 1e9});
  const Verdict verdict = judge_one(run.data(), own_base);
  EXPECT_EQ(verdict.outcome, Outcome::not_tested);
  EXPECT_THAT(verdict.reason, HasSubstr("ranks:one"));
}

TEST(Scaling, AFailedBaseIsNotTested) {
  SyntheticRun run = scaled(10, {40}, 39);
  run.data().series[0].status = "failed";
  EXPECT_EQ(judge_one(run.data(), own_base).outcome, Outcome::not_tested);
}

TEST(Scaling, UnknownCoresAreNotTested) {
  SyntheticRun run = scaled(10, {40}, 39);
  run.data().nodes[0].cores = 0;
  EXPECT_EQ(judge_one(run.data(), own_base).outcome, Outcome::not_tested);
}

}  // namespace
}  // namespace assay
