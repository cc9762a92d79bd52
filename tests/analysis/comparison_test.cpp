#include "analysis/comparison.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/analysis/synthetic.hpp"

namespace assay {
namespace {

using ::testing::HasSubstr;

Clause clause_of(Sense sense, double value) {
  Clause clause;
  clause.key = "test.rate";
  clause.value = value;
  clause.dimension = Dimension::bytes_per_second;
  clause.sense = sense;
  return clause;
}

Measurement measured(double low, double high, int epochs = 5) {
  Measurement m;
  m.evidence = Evidence::valid;
  m.value = (low + high) / 2;
  m.interval = {low, high, 0.94};
  m.dimension = Dimension::bytes_per_second;
  m.epochs = epochs;
  m.members = {0, 1};
  return m;
}

struct Row {
  Sense sense;
  double low, high;
  Outcome expected;
};

class Limits : public ::testing::TestWithParam<Row> {};

TEST_P(Limits, AreIncludedInWhatIsGood) {
  const Row& row = GetParam();
  EXPECT_EQ(compare(clause_of(row.sense, 100), measured(row.low, row.high)).outcome, row.expected);
}

const double just_below = std::nextafter(100.0, 0.0);
const double just_above = std::nextafter(100.0, 200.0);

INSTANTIATE_TEST_SUITE_P(, Limits,
                         ::testing::Values(Row{Sense::at_least, 101, 110, Outcome::pass},
                                           Row{Sense::at_least, 100, 110, Outcome::pass},
                                           Row{Sense::at_least, just_below, 110, Outcome::inconclusive},
                                           Row{Sense::at_least, 90, 100, Outcome::inconclusive},
                                           Row{Sense::at_least, 90, just_below, Outcome::fail},
                                           Row{Sense::at_least, 100, 100, Outcome::pass},
                                           Row{Sense::at_most, 90, 99, Outcome::pass},
                                           Row{Sense::at_most, 90, 100, Outcome::pass},
                                           Row{Sense::at_most, 90, just_above, Outcome::inconclusive},
                                           Row{Sense::at_most, 100, 110, Outcome::inconclusive},
                                           Row{Sense::at_most, just_above, 110, Outcome::fail}));

TEST(Comparison, FewerThanFiveEpochsDecideNothing) {
  for (const double value : {1.0, 1000.0}) {
    const Comparison c = compare(clause_of(Sense::at_least, 100), measured(value, value, 4));
    EXPECT_EQ(c.outcome, Outcome::inconclusive);
    EXPECT_THAT(c.reason, HasSubstr("4 epochs; a verdict needs 5"));
  }
}

TEST(Comparison, OtherDimensionIsNotTested) {
  Measurement m = measured(200, 300);
  m.dimension = Dimension::seconds;
  EXPECT_EQ(compare(clause_of(Sense::at_least, 100), m).outcome, Outcome::not_tested);
}

TEST(Comparison, NaNIsNeverAPass) {
  Measurement m = measured(NAN, NAN);
  EXPECT_EQ(compare(clause_of(Sense::at_least, 100), m).outcome, Outcome::not_tested);
  m.value = 200;  // an interval that compares false with everything
  EXPECT_EQ(compare(clause_of(Sense::at_least, 100), m).outcome, Outcome::inconclusive);
  EXPECT_EQ(compare(clause_of(Sense::at_most, 100), m).outcome, Outcome::inconclusive);
}

TEST(Comparison, EvidenceComesBeforeNumbers) {
  Measurement m = measured(200, 300);
  const auto outcome_of = [&](Evidence evidence) {
    m.evidence = evidence;
    return compare(clause_of(Sense::at_least, 100), m).outcome;
  };
  EXPECT_EQ(outcome_of(Evidence::valid), Outcome::pass);
  EXPECT_EQ(outcome_of(Evidence::wrong_data), Outcome::fail);
  EXPECT_EQ(outcome_of(Evidence::failed), Outcome::not_tested);
  EXPECT_EQ(outcome_of(Evidence::invalid), Outcome::invalid);
  m.slow_epochs = 2;
  EXPECT_EQ(outcome_of(Evidence::too_slow), Outcome::pass);
  m.slow_epochs = 3;
  EXPECT_EQ(outcome_of(Evidence::too_slow), Outcome::inconclusive);
  m = measured(10, 20);
  m.slow_epochs = 5;
  EXPECT_EQ(outcome_of(Evidence::too_slow), Outcome::fail);
}

TEST(Comparison, AFailThatRestsOnDisturbedEpochsIsInconclusive) {
  Measurement m = measured(60, 70);
  m.flags = results::flag_contaminated;
  m.disturbed_epochs = 2;
  EXPECT_EQ(compare(clause_of(Sense::at_least, 100), m).outcome, Outcome::fail);
  m.disturbed_epochs = 3;
  const Comparison c = compare(clause_of(Sense::at_least, 100), m);
  EXPECT_EQ(c.outcome, Outcome::inconclusive);
  EXPECT_THAT(c.reason, HasSubstr("3 of 5 epochs were disturbed (contaminated)"));
}

TEST(Comparison, DisturbanceDoesNotExplainAFactorOfFour) {
  Measurement m = measured(20, 25);
  m.disturbed_epochs = 5;
  EXPECT_EQ(compare(clause_of(Sense::at_least, 100), m).outcome, Outcome::fail);
  EXPECT_EQ(compare(clause_of(Sense::at_least, 99), m).outcome, Outcome::inconclusive);
  m = measured(400, 500);
  m.disturbed_epochs = 5;
  EXPECT_EQ(compare(clause_of(Sense::at_most, 100), m).outcome, Outcome::fail);
  EXPECT_EQ(compare(clause_of(Sense::at_most, 101), m).outcome, Outcome::inconclusive);
}

TEST(Comparison, MoreRanksThanCpusSayNothingAboutTheMachine) {
  Measurement m = measured(1, 2);
  m.disturbed_epochs = m.oversubscribed_epochs = 5;
  const Comparison c = compare(clause_of(Sense::at_least, 100), m);
  EXPECT_EQ(c.outcome, Outcome::inconclusive);
  EXPECT_THAT(c.reason, HasSubstr("more ranks than CPUs"));
  m = measured(100, 200);
  m.disturbed_epochs = m.oversubscribed_epochs = 5;
  EXPECT_EQ(compare(clause_of(Sense::at_least, 100), m).outcome, Outcome::pass);
}

TEST(Worst, DecidesAndIsNamed) {
  test::SyntheticRun run(2, 2);
  Verdict verdict;
  verdict.clause = clause_of(Sense::at_least, 100);
  Measurement slow = measured(50, 60);
  slow.members = {1, 3};
  slow.name = "mpi.pairs/bytes:8";
  judge_worst(verdict, {measured(200, 210), slow, measured(70, 80)}, run.data(), "none");
  EXPECT_EQ(verdict.outcome, Outcome::fail);
  EXPECT_EQ(verdict.member, "ranks 1,3 on node1, node2: mpi.pairs/bytes:8");
  EXPECT_EQ(verdict.measured->value, 55);
  EXPECT_THAT(verdict.reason, HasSubstr("2 of 3 sets fail"));
}

TEST(Worst, GravityComesBeforeValue) {
  test::SyntheticRun run;
  const auto outcome_with = [&](Measurement other) {
    Verdict verdict;
    verdict.clause = clause_of(Sense::at_least, 100);
    judge_worst(verdict, {measured(101, 102), std::move(other), measured(101, 102)}, run.data(), "none");
    return verdict.outcome;
  };
  Measurement fast = measured(200, 210);
  EXPECT_EQ(outcome_with(fast), Outcome::pass);
  fast.evidence = Evidence::failed;
  EXPECT_EQ(outcome_with(fast), Outcome::not_tested);
  fast.evidence = Evidence::invalid;
  EXPECT_EQ(outcome_with(fast), Outcome::invalid);
  fast.evidence = Evidence::wrong_data;
  EXPECT_EQ(outcome_with(fast), Outcome::fail);
}

TEST(Worst, NothingMeasuredIsNotTested) {
  test::SyntheticRun run;
  Verdict verdict;
  verdict.clause = clause_of(Sense::at_least, 100);
  judge_worst(verdict, {}, run.data(), "no such series");
  EXPECT_EQ(verdict.outcome, Outcome::not_tested);
  EXPECT_EQ(verdict.reason, "no such series");
}

TEST(Comparison, WhatAGpusClockTimedIsNotExcusedByABusyHost) {
  for (const auto& [timing, outcome] : {std::pair{"per_rank", Outcome::inconclusive}, {"device", Outcome::fail}}) {
    test::SyntheticRun run;
    run.plant({.case_name = "host.memory",
               .point = "bytes:67108864/op:triad/ranks:all",
               .members = run.all_ranks(),
               .value = 10e9,
               .flags = results::flag_contaminated | results::flag_oversubscribed,
               .timing = timing});
    const Verdict verdict = test::judge_one(run.data(), "[node]\nmemory_bandwidth = \"20 GB/s\"\n");
    EXPECT_EQ(verdict.outcome, outcome) << timing << ": " << verdict.reason;
  }
}

}  // namespace
}  // namespace assay
