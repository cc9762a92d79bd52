#include "core/case.hpp"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>

namespace assay {
namespace {

using testing::ElementsAre;

std::vector<std::string> texts(const std::vector<Point>& points) {
  std::vector<std::string> result;
  for (const Point& point : points) result.push_back(point.text());
  return result;
}

CaseInfo with_axes(std::vector<Axis> axes) {
  CaseInfo info;
  info.axes = [axes = std::move(axes)](const Layout&) { return axes; };
  return info;
}

TEST(PointsOf, IsTheProductWithTheFirstAxisFastest) {
  const CaseInfo info =
      with_axes({{"bytes", {{"8"}, {"64", Suite::standard}, {"512", Suite::full}}}, {"dtype", {{"f32"}, {"f64"}}}});
  const Layout layout = Layout::single_node(2, 2);
  EXPECT_THAT(texts(points_of(info, Suite::quick, layout)), ElementsAre("bytes:8/dtype:f32", "bytes:8/dtype:f64"));
  EXPECT_THAT(texts(points_of(info, Suite::standard, layout)),
              ElementsAre("bytes:8/dtype:f32", "bytes:64/dtype:f32", "bytes:8/dtype:f64", "bytes:64/dtype:f64"));
  EXPECT_EQ(points_of(info, Suite::full, layout).size(), 6u);
}

TEST(PointsOf, NoAxesIsOnePointAndAnEmptyAxisIsNone) {
  const Layout layout = Layout::single_node(1, 1);
  EXPECT_THAT(texts(points_of(with_axes({}), Suite::quick, layout)), ElementsAre(""));
  EXPECT_TRUE(points_of(with_axes({{"op", {{"x", Suite::full}}}}), Suite::quick, layout).empty());
}

TEST(CombineSeconds, TakesTheSlowestOrTheHarmonicMean) {
  const std::vector<double> seconds{1, 2, 3, 1, 2, 6};  // two ranks, three iterations
  EXPECT_THAT(combine_seconds(Combine::slowest, seconds, 2), ElementsAre(1, 2, 6));
  EXPECT_THAT(combine_seconds(Combine::concurrent, seconds, 2), ElementsAre(1, 2, 4));
  EXPECT_THAT(combine_seconds(Combine::slowest, {}, 2), ElementsAre());
  EXPECT_THAT(combine_seconds(Combine::slowest, {}, 0), ElementsAre());
}

TEST(CombineSeconds, ANaNOfAnyRankSpoilsTheIteration) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Combine combine : {Combine::slowest, Combine::concurrent}) {
    for (const auto& seconds : {std::vector<double>{nan, 2, 1, 2}, std::vector<double>{1, 2, nan, 2}}) {
      const auto combined = combine_seconds(combine, seconds, 2);
      ASSERT_EQ(combined.size(), 2u);
      EXPECT_TRUE(std::isnan(combined[0]));
      EXPECT_EQ(combined[1], 2);
    }
  }
}

TEST(ValueOf, FollowsTheKindOfWork) {
  EXPECT_EQ(value_of({WorkKind::bytes, 1e9, Direction::one_way, 1.5}, 0.5), 3e9);
  EXPECT_EQ(value_of({WorkKind::flops, 1e9, Direction::none, 1}, 0.5), 2e9);
  EXPECT_EQ(value_of({WorkKind::operations, 32, Direction::none, 1}, 0.5), 64);
  EXPECT_EQ(value_of({WorkKind::latency, 2, Direction::none, 1}, 3e-6), 1.5e-6);
  EXPECT_TRUE(std::isnan(value_of({WorkKind::bytes, 8, Direction::none, 1}, std::nan(""))));
}

TEST(Case, NamesRoundTrip) {
  for (const auto suite : {Suite::quick, Suite::standard, Suite::full}) {
    EXPECT_EQ(parse_suite(to_string(suite)), suite);
  }
  for (const auto kind : {WorkKind::bytes, WorkKind::flops, WorkKind::operations, WorkKind::latency}) {
    EXPECT_EQ(parse_work_kind(to_string(kind)), kind);
  }
  for (const auto combine : {Combine::slowest, Combine::concurrent}) {
    EXPECT_EQ(parse_combine(to_string(combine)), combine);
  }
  EXPECT_FALSE(parse_suite("Quick").has_value());
  EXPECT_EQ(to_string(Timing::shared_start), "shared_start");
  EXPECT_EQ(dimension_of(WorkKind::bytes), Dimension::bytes_per_second);
  EXPECT_EQ(dimension_of(WorkKind::flops), Dimension::flops_per_second);
  EXPECT_EQ(dimension_of(WorkKind::operations), Dimension::operations_per_second);
  EXPECT_EQ(dimension_of(WorkKind::latency), Dimension::seconds);
}

}  // namespace
}  // namespace assay
