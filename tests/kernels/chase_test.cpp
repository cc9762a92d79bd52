#include "kernels/host/chase.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "core/error.hpp"

namespace assay {
namespace {

class ChaseCycleOfSize : public ::testing::TestWithParam<std::size_t> {};

TEST_P(ChaseCycleOfSize, VisitsEveryLineOnceAndComesBack) {
  const ChaseCycle cycle(GetParam(), 42);
  std::vector<ChaseLine> lines(GetParam());
  cycle.link(lines);
  std::vector<bool> seen(lines.size());
  const ChaseLine* at = &lines[cycle.line_at(0)];
  for (std::size_t step = 0; step < lines.size(); ++step) {
    const auto line = static_cast<std::size_t>(at - lines.data());
    ASSERT_LT(line, lines.size());
    ASSERT_FALSE(seen[line]) << "line " << line << " again at step " << step;
    ASSERT_EQ(line, cycle.line_at(step));
    ASSERT_EQ(cycle.step_of(line), step);
    seen[line] = true;
    at = at->next;
  }
  EXPECT_EQ(at, &lines[cycle.line_at(0)]);
  EXPECT_EQ(cycle.check(lines).wrong, 0U);
  EXPECT_EQ(cycle.check(lines).checked, lines.size());
}

INSTANTIATE_TEST_SUITE_P(PowersOfTwo, ChaseCycleOfSize, ::testing::Values(8, 16, 512, 1024, 131072));

TEST(ChaseCycle, HasNoOrderThatAPrefetcherCouldUse) {
  constexpr std::size_t lines = 65536;
  const ChaseCycle cycle(lines, 1);
  std::size_t near = 0;
  std::size_t same_stride = 0;
  for (std::size_t step = 0; step < lines; ++step) {
    const auto first = static_cast<std::int64_t>(cycle.line_at(step));
    const auto second = static_cast<std::int64_t>(cycle.line_at(step + 1));
    const auto third = static_cast<std::int64_t>(cycle.line_at(step + 2));
    if (std::abs(second - first) <= 64) ++near;
    if (third - second == second - first) ++same_stride;
  }
  // A truly random order has about 129 / 65536 of the first kind and 1 / 65536 of the second.
  EXPECT_LT(near, lines / 100);
  EXPECT_LT(same_stride, lines / 1000);
}

TEST(ChaseCycle, DependsOnTheSeed) {
  const ChaseCycle one(1024, 1);
  const ChaseCycle other(1024, 2);
  int equal = 0;
  for (std::size_t line = 0; line < 1024; ++line) equal += one.after(line) == other.after(line) ? 1 : 0;
  EXPECT_LT(equal, 100);
}

TEST(ChaseCycle, RefusesOtherSizes) {
  EXPECT_THROW(ChaseCycle(0, 1), Error);
  EXPECT_THROW(ChaseCycle(4, 1), Error);
  EXPECT_THROW(ChaseCycle(1000, 1), Error);
}

TEST(ChaseCycle, CheckFindsEveryDamagedLink) {
  const ChaseCycle cycle(64, 3);
  std::vector<ChaseLine> lines(64);
  cycle.link(lines);
  lines[5].next = lines[6].next;
  lines[63].next = &lines[63];
  const Check check = cycle.check(lines);
  EXPECT_EQ(check.wrong, 2U);
  EXPECT_NE(check.first.find("line 5"), std::string::npos) << check.first;
}

TEST(Chase, EndsWhereTheCycleSays) {
  const ChaseCycle cycle(512, 9);
  std::vector<ChaseLine> lines(512);
  cycle.link(lines);
  EXPECT_EQ(chase(&lines[cycle.line_at(0)], 1600), &lines[cycle.line_at(1600)]);
}

}  // namespace
}  // namespace assay
