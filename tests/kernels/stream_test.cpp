#include "kernels/host/stream.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace assay::stream {
namespace {

// Not a multiple of any vector length, so that the remainders of the loops count too.
constexpr std::size_t count = 1003;

class Stream : public ::testing::Test {
 protected:
  Stream() {
    fill(b, 11);
    fill(c, 22);
  }
  /// Every element of `a` against `expected(b[i], c[i])`.
  template <class Expected>
  void expect_each(Expected expected) const {
    for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(a[i], expected(b[i], c[i])) << i;
  }

  std::vector<double> a = std::vector<double>(count, std::numeric_limits<double>::quiet_NaN());
  std::vector<double> b = std::vector<double>(count);
  std::vector<double> c = std::vector<double>(count);
};

TEST_F(Stream, FillsWithWholeNumbersFrom1To65536) {
  double previous = 0;
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_EQ(b[i], value_at(i, 11));
    ASSERT_GE(b[i], 1);
    ASSERT_LE(b[i], 65536);
    ASSERT_EQ(b[i], static_cast<double>(static_cast<int>(b[i])));
    ASSERT_NE(b[i], previous);
    previous = b[i];
  }
  EXPECT_NE(b, c);
}

TEST_F(Stream, Write) {
  write(a, 3);
  expect_each([](double, double) { return 3.0; });
}

TEST_F(Stream, Copy) {
  copy(a, b.data());
  expect_each([](double x, double) { return x; });
}

TEST_F(Stream, Scale) {
  scale(a, b.data(), 5);
  expect_each([](double x, double) { return 5 * x; });
}

TEST_F(Stream, Add) {
  add(a, b.data(), c.data());
  expect_each([](double x, double y) { return x + y; });
}

TEST_F(Stream, Triad) {
  triad(a, b.data(), c.data(), 7);
  expect_each([](double x, double y) { return x + 7 * y; });
}

TEST_F(Stream, Sum) {
  double expected = 0;
  for (const double value : b) expected += value;
  EXPECT_EQ(sum(b), expected);
}

TEST_F(Stream, CountsWhatIsNotExpected) {
  const Expectation expected{.base = 2, .b = 1, .c = 3, .seed_b = 11, .seed_c = 22};
  for (std::size_t i = 0; i < count; ++i) a[i] = 2 + b[i] + 3 * c[i];
  EXPECT_EQ(count_wrong(a, expected), 0U);
  a[0] += 1;
  a[500] = std::numeric_limits<double>::quiet_NaN();
  a[count - 1] = 0;
  EXPECT_EQ(count_wrong(a, expected), 3U);
}

}  // namespace
}  // namespace assay::stream
