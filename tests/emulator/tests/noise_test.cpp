#include "tests/emulator/model/noise.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/emulator/tests/support.hpp"

namespace emulator {
namespace {

class Noise : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { test::use_faulty_cluster(); }

  template <class Draw>
  static std::pair<double, double> mean_and_deviation(Draw draw) {
    constexpr int count = 20000;
    double sum = 0;
    double squares = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
      const double value = draw(i);
      sum += value;
      squares += value * value;
    }
    return {sum / count, std::sqrt(squares / count - sum * sum / count / count)};
  }
};

TEST_F(Noise, IsNormalAroundOneWithTheClustersSigma) {
  const auto [mean, deviation] = mean_and_deviation([](std::uint64_t i) { return jitter(i); });
  EXPECT_NEAR(mean, 1, 1e-4);
  EXPECT_NEAR(deviation, 0.002, 1e-4);
}

TEST_F(Noise, ACardsFaultReplacesTheSigma) {
  const auto& gpu = Cluster::current().nodes()[0].gpus[0];
  const auto [mean, deviation] = mean_and_deviation([&](std::uint64_t i) { return jitter(gpu, i); });
  EXPECT_NEAR(mean, 1, 3e-3);
  EXPECT_NEAR(deviation, 0.05, 2e-3);
}

TEST_F(Noise, SameEventSameFactor) {
  EXPECT_EQ(jitter(42), jitter(42));
  EXPECT_NE(jitter(42), jitter(43));
}

TEST_F(Noise, NeighbourComesInBurstsOfHalfThePeriod) {
  const auto& nics = Cluster::current().nodes()[0].nics;
  int busy = 0;
  for (int i = 0; i < 1000; ++i) {
    const double share = neighbour_share(nics[2], i * 0.01);
    EXPECT_TRUE(share == 0 || share == 0.4);
    if (share > 0) ++busy;
    EXPECT_EQ(neighbour_share(nics[3], i * 0.01), 0);
  }
  EXPECT_NEAR(busy, 500, 5);
}

}  // namespace
}  // namespace emulator
