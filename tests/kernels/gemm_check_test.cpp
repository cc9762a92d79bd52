#include "kernels/host/gemm_check.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace assay {
namespace {

template <class T>
class Freivalds : public ::testing::Test {
 protected:
  static constexpr int n = 96;
  static constexpr std::size_t size = n * n;

  Freivalds() {
    fill_uniform<T>(a, 1);
    fill_uniform<T>(b, 2);
    for (std::size_t column = 0; column < n; ++column) {
      for (std::size_t k = 0; k < n; ++k) {
        for (std::size_t row = 0; row < n; ++row) c[column * n + row] += a[k * n + row] * b[column * n + k];
      }
    }
  }
  std::uint64_t wrong(std::uint64_t seed = 5) { return freivalds(n, a.data(), b.data(), c.data(), seed).wrong; }

  std::vector<T> a = std::vector<T>(size);
  std::vector<T> b = std::vector<T>(size);
  std::vector<T> c = std::vector<T>(size);
};

using Types = ::testing::Types<double, float>;
TYPED_TEST_SUITE(Freivalds, Types);

TYPED_TEST(Freivalds, TheMatricesAreUniformFromMinusOneToOne) {
  std::vector<TypeParam> values(100000);
  fill_uniform<TypeParam>(values, 77);
  double sum = 0;
  double squares = 0;
  double products = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto value = static_cast<double>(values[i]);
    ASSERT_LE(std::abs(value), 1.0);
    sum += value;
    squares += value * value;
    if (i > 0) products += value * static_cast<double>(values[i - 1]);
  }
  const auto count = static_cast<double>(values.size());
  EXPECT_NEAR(sum / count, 0, 0.01);
  EXPECT_NEAR(squares / count, 1.0 / 3, 0.01);
  EXPECT_NEAR(products / count, 0, 0.01);
}

TYPED_TEST(Freivalds, AcceptsARightProductForEverySeed) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) EXPECT_EQ(this->wrong(seed), 0U) << seed;
}

TYPED_TEST(Freivalds, CountsTheElementsItCovers) {
  EXPECT_EQ(freivalds(this->n, this->a.data(), this->b.data(), this->c.data(), 1).checked, this->size);
}

TYPED_TEST(Freivalds, FindsOneElementWrongByTwiceTheBound) {
  this->c[40 * this->n + 17] += static_cast<TypeParam>(2 * freivalds_bound<TypeParam>(this->n));
  const Check check = freivalds(this->n, this->a.data(), this->b.data(), this->c.data(), 1);
  EXPECT_EQ(check.wrong, 1U);
  EXPECT_EQ(check.first.rfind("row 17:", 0), 0U) << check.first;
}

TYPED_TEST(Freivalds, FindsNaN) {
  this->c[3] = std::numeric_limits<TypeParam>::quiet_NaN();
  EXPECT_EQ(this->wrong(), 1U);
}

TYPED_TEST(Freivalds, FindsAProductOfOtherMatrices) {
  fill_uniform<TypeParam>(this->b, 3);
  EXPECT_GT(this->wrong(), static_cast<std::uint64_t>(this->n) * 9 / 10);
}

TYPED_TEST(Freivalds, BoundIsSmallAgainstAnElement) {
  // An element of the product is of size sqrt(n) / 3.
  for (const int order : {1024, 4096}) EXPECT_LT(freivalds_bound<TypeParam>(order), 0.01 * std::sqrt(order));
}

}  // namespace
}  // namespace assay
