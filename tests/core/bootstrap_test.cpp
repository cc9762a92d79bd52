#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "core/random.hpp"
#include "core/statistics.hpp"

namespace assay {
namespace {

using Samples = std::vector<double>;

double mean(std::span<const double> samples) {
  return std::accumulate(samples.begin(), samples.end(), 0.0) / static_cast<double>(samples.size());
}

void expect_interval(const Interval& interval, double low, double high) {
  EXPECT_EQ(interval.low, low);
  EXPECT_EQ(interval.high, high);
}

TEST(Bootstrap, OfFewSamplesIsTheExactDistribution) {
  // Median of 5: the resample's median is x1 with P(B(5, 1/5) >= 3) = 0.05792, at most x2 with P(B(5, 2/5) >= 3) =
  // 0.31744.
  const Samples five{30, 10, 50, 20, 40};
  expect_interval(bootstrap_interval(five, median, 1, 2000, 0.95), 10, 50);
  expect_interval(bootstrap_interval(five, median, 1, 2000, 1 - 2 * 0.0579), 10, 50);
  expect_interval(bootstrap_interval(five, median, 1, 2000, 1 - 2 * 0.0580), 20, 40);
  expect_interval(bootstrap_interval(five, median, 1, 2000, 1 - 2 * 0.3174), 20, 40);
  expect_interval(bootstrap_interval(five, median, 1, 2000, 1 - 2 * 0.3175), 30, 30);
}

TEST(Bootstrap, OfTwoSamplesHasQuarterTails) {
  // Means 0, 0.5, 1 with probabilities 1/4, 1/2, 1/4.
  expect_interval(bootstrap_interval(Samples{1, 0}, mean, 1, 2000, 0.51), 0, 1);
  expect_interval(bootstrap_interval(Samples{1, 0}, mean, 1, 2000, 0.49), 0.5, 0.5);
  expect_interval(bootstrap_interval(Samples{4}, mean, 1), 4, 4);
}

TEST(Bootstrap, SameSeedSameAnswerWhateverTheOrder) {
  Random random(3);
  Samples samples(20);
  for (double& x : samples) x = random.uniform();
  const Interval first = bootstrap_interval(samples, mean, 42);
  random.shuffle(samples);
  const Interval second = bootstrap_interval(samples, mean, 42);
  expect_interval(second, first.low, first.high);
  const Interval other = bootstrap_interval(samples, mean, 43);
  EXPECT_NE(other.low, first.low);
  EXPECT_NEAR(other.low, first.low, 0.1 * (first.high - first.low));
}

double plain_median(Samples samples) {
  std::sort(samples.begin(), samples.end());
  const std::size_t half = samples.size() / 2;
  return samples.size() % 2 == 1 ? samples[half] : (samples[half - 1] + samples[half]) / 2;
}

TEST(Bootstrap, AgreesWithAPlainLoopOverMt19937) {
  // std::mt19937_64 is specified bit by bit, so this holds on every platform.
  for (const Samples& sorted : {Samples{1, 2, 4, 7, 11, 16, 22, 29, 37}, Samples{1, 2, 4, 7, 11, 16, 22, 29, 37, 46}}) {
    std::mt19937_64 engine(7);
    Samples medians;
    for (int i = 0; i < 500; ++i) {
      Samples resample;
      std::uint64_t word = 0;
      for (std::size_t k = 0; k < sorted.size(); ++k) {
        if (k % 2 == 0) word = engine();
        const std::uint64_t half = k % 2 == 0 ? word / 4294967296u : word % 4294967296u;
        resample.push_back(sorted[half * sorted.size() / 4294967296u]);
      }
      medians.push_back(plain_median(resample));
    }
    std::sort(medians.begin(), medians.end());
    const auto type7 = [&](double p) {
      const double position = p * 499;
      const auto below = static_cast<std::size_t>(position);
      return medians[below] + (position - std::floor(position)) * (medians[below + 1] - medians[below]);
    };
    const Interval interval = bootstrap_interval(sorted, median, 7, 500, 0.9);
    EXPECT_DOUBLE_EQ(interval.low, type7(0.05)) << sorted.size();
    EXPECT_DOUBLE_EQ(interval.high, type7(0.95)) << sorted.size();
  }
}

TEST(Bootstrap, OfTheMeanApproachesNormalTheory) {
  Random random(11);
  Samples samples(400);
  for (double& x : samples) x = random.uniform();
  const Interval interval = bootstrap_interval(samples, mean, 1);
  const double half_width = 1.96 * std::sqrt(1.0 / 12 / 400);  // uniform: variance 1/12
  EXPECT_NEAR((interval.high - interval.low) / 2, half_width, 0.1 * half_width);
  EXPECT_NEAR((interval.high + interval.low) / 2, mean(samples), 0.2 * half_width);
}

TEST(Bootstrap, NeverAnswersFromMissingData) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto broken = [nan](std::span<const double>) { return nan; };
  Samples many(30, 1.0);
  many[29] = nan;
  for (const Interval& interval :
       {bootstrap_interval(Samples{}, median, 1), bootstrap_interval(Samples{1, nan, 2}, median, 1),
        bootstrap_interval(many, median, 1), bootstrap_interval(Samples{1, 2}, median, 1, 0),
        bootstrap_interval(Samples{1, 2, 3}, broken, 1), bootstrap_interval(Samples(30, 1.0), broken, 1)}) {
    EXPECT_TRUE(std::isnan(interval.low));
    EXPECT_TRUE(std::isnan(interval.high));
  }
}

}  // namespace
}  // namespace assay
