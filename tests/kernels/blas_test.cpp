#include "kernels/host/blas.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "kernels/host/gemm_check.hpp"

namespace assay {
namespace {

template <class T>
class BlasProduct : public ::testing::Test {};
using Types = ::testing::Types<double, float>;
TYPED_TEST_SUITE(BlasProduct, Types);

TYPED_TEST(BlasProduct, EqualsTheNaiveOne) {
  const Blas blas("");
  for (const int n : {1, 7, 33, 128}) {
    const auto order = static_cast<std::size_t>(n);
    std::vector<TypeParam> a(order * order);
    std::vector<TypeParam> b(order * order);
    std::vector<TypeParam> c(order * order, std::numeric_limits<TypeParam>::quiet_NaN());
    fill_uniform<TypeParam>(a, 1);
    fill_uniform<TypeParam>(b, 2);
    blas.multiply(n, a.data(), b.data(), c.data());
    const double bound = static_cast<double>(n) * static_cast<double>(std::numeric_limits<TypeParam>::epsilon());
    for (std::size_t column = 0; column < order; ++column) {
      for (std::size_t row = 0; row < order; ++row) {
        double expected = 0;
        for (std::size_t k = 0; k < order; ++k) {
          expected += static_cast<double>(a[k * order + row]) * static_cast<double>(b[column * order + k]);
        }
        ASSERT_NEAR(static_cast<double>(c[column * order + row]), expected, bound) << n << ": " << row << "," << column;
      }
    }
  }
}

TEST(Blas, NamesItselfAndItsKernels) {
  const Blas blas("");
  EXPECT_NE(blas.config().find("OpenBLAS"), std::string::npos);
  EXPECT_FALSE(blas.corename().empty());
}

TEST(Blas, LeavesTheEnvironmentAsItWas) {
  setenv("OPENBLAS_CORETYPE", "planted", 1);
  const Blas blas("");
  EXPECT_STREQ(std::getenv("OPENBLAS_CORETYPE"), "planted");
  unsetenv("OPENBLAS_CORETYPE");
}

TEST(Blas, RefusesToRunOtherKernelsThanAskedFor) {
  const Blas first("");
  try {
    const Blas other("NO_SUCH_KERNEL");
    FAIL() << "got " << other.corename();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("not NO_SUCH_KERNEL"), std::string::npos) << error.what();
  }
}

TEST(Blas, AnAbsentLibraryIsAnErrorThatNamesThePackage) {
  try {
    const Blas blas("", {"libno_such_blas.so.0"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::environment);
    EXPECT_NE(std::string(error.what()).find("libno_such_blas.so.0"), std::string::npos);
    EXPECT_NE(error.hint().find("libopenblas0-pthread"), std::string::npos);
  }
}

TEST(Blas, ALibraryWithoutTheFunctionsIsAnError) { EXPECT_THROW(Blas("", {"libm.so.6"}), Error); }

}  // namespace
}  // namespace assay
