#include "launcher/run/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/error.hpp"
#include "launcher/run/placement.hpp"
#include "tests/launcher/fake_case.hpp"

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class PlanTest : public ::testing::Test {
 protected:
  PlanTest() {
    CaseInfo first = testing::fake_info(steps_);
    first.name = "a.one";
    registry_.add(first);
    CaseInfo second = testing::fake_info(steps_);
    second.name = "b.path";
    second.needs.path = true;
    registry_.add(second);
  }
  testing::FakeSteps steps_;
  Registry registry_;
  RunOptions options_;
  Layout layout_ = Layout::single_node(2, 2);
};

TEST_F(PlanTest, HoldsThePointsOfTheSuiteAndSaysWhatIsLeftOut) {
  const Plan plan = make_plan(registry_, options_, layout_);
  ASSERT_THAT(plan.points, SizeIs(1));
  EXPECT_EQ(series_name(*plan.points[0].info, plan.points[0].point), "a.one/bytes:8");
  ASSERT_THAT(plan.left_out, SizeIs(1));
  EXPECT_EQ(plan.left_out[0].name, "b.path");
  EXPECT_THAT(plan.left_out[0].reason, HasSubstr("--path"));
}

TEST_F(PlanTest, LargerSuiteHoldsMorePoints) {
  options_.suite = Suite::standard;
  EXPECT_THAT(make_plan(registry_, options_, layout_).points, SizeIs(2));
}

TEST_F(PlanTest, FilterSearchesCaseAndPoint) {
  options_.suite = Suite::standard;
  options_.filter = "bytes:64";
  const Plan plan = make_plan(registry_, options_, layout_);
  ASSERT_THAT(plan.points, SizeIs(1));
  EXPECT_EQ(plan.points[0].point.get("bytes"), "64");
}

TEST_F(PlanTest, NothingLeftIsAnErrorThatTellsTheReasons) {
  options_.filter = "b.path";
  try {
    (void)make_plan(registry_, options_, layout_);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    EXPECT_THAT(error.what(), HasSubstr("needs a directory to test"));
  }
}

TEST_F(PlanTest, PointsTravelAsText) {
  options_.suite = Suite::standard;
  const Plan plan = make_plan(registry_, options_, layout_);
  const auto points = parse_points(points_text(plan), registry_, layout_);
  ASSERT_THAT(points, SizeIs(plan.points.size()));
  for (std::size_t i = 0; i < points.size(); ++i) {
    EXPECT_EQ(points[i].info, plan.points[i].info);
    EXPECT_EQ(points[i].point, plan.points[i].point);
    EXPECT_EQ(points[i].sets, plan.points[i].sets);
  }
  EXPECT_THROW((void)parse_points("no.such bytes:8\n", registry_, layout_), Error);
}

TEST_F(PlanTest, PreparingDataMayTakeLongerUnlessTheDeadlineIsGiven) {
  const Plan plan = make_plan(registry_, options_, layout_);
  EXPECT_GT(plan.set_up_deadline, plan.deadline * 10);
  options_.deadline = Seconds(7);
  EXPECT_EQ(make_plan(registry_, options_, layout_).set_up_deadline, Seconds(7));
}

TEST_F(PlanTest, EpochsShuffleTheSameWayForTheSameSeed) {
  options_.suite = Suite::standard;
  Plan plan = make_plan(registry_, options_, layout_);
  plan.points.resize(50, plan.points[0]);
  EXPECT_EQ(plan.order(1, 7), plan.order(1, 7));
  EXPECT_NE(plan.order(1, 7), plan.order(2, 7));
  EXPECT_NE(plan.order(1, 7), plan.order(1, 8));
  auto sorted = plan.order(3, 7);
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(sorted, plan.order(0, 7));
}

TEST_F(PlanTest, PredictionFollowsTheBudget) {
  options_.budget = Seconds(10);
  const double short_run = make_plan(registry_, options_, layout_).predicted.value;
  EXPECT_NEAR(short_run, 10, 0.5);
}

TEST_F(PlanTest, SlowSetUpShortensTheRestToFitTheBudget) {
  options_.budget = Seconds(10);
  Plan plan = make_plan(registry_, options_, layout_);
  const double before = plan.per_series.value;
  plan.adapt(1, Seconds(6), Seconds(2), Seconds(10));
  EXPECT_LT(plan.per_series.value, before);
  EXPECT_GT(plan.per_series.value, 0);
}

TEST(Filter, MalformedExpressionIsBadInput) {
  try {
    (void)compile_filter("mpi.(");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    EXPECT_THAT(error.what(), HasSubstr("mpi.("));
  }
}

TEST(Filter, NoExpressionTakesExponentialTime) {
  const std::regex filter = compile_filter("(.*)*(.*)*(.*)*zz");
  EXPECT_FALSE(std::regex_search("storage.random/bytes:4096/op:read/depth:32/file:268435456/ranks:all", filter));
}

TEST(Filter, LengthIsLimited) { EXPECT_THROW((void)compile_filter(std::string(1025, 'a')), Error); }

TEST(Placement, SharesCoverTheGrantWithoutOverlap) {
  const std::vector<int> cpus{0, 1, 2, 4, 6, 8, 9};
  std::vector<int> all;
  for (int i = 0; i < 3; ++i) {
    const auto share = share_of(cpus, i, 3);
    EXPECT_GE(share.size(), 2u);
    EXPECT_LE(share.size(), 3u);
    all.insert(all.end(), share.begin(), share.end());
  }
  EXPECT_EQ(all, cpus);
}

}  // namespace
}  // namespace assay
