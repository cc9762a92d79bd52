#include "core/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "core/random.hpp"

namespace assay {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
using Samples = std::vector<double>;

/// 1, 2, ..., n in a shuffled order: the value of a sample is its rank.
Samples shuffled_ranks(std::size_t n) {
  Samples samples(n);
  std::iota(samples.begin(), samples.end(), 1.0);
  Random random(n);
  random.shuffle(samples);
  return samples;
}

TEST(Median, IsTheMiddleOrTheMeanOfTheTwoMiddle) {
  EXPECT_EQ(median(Samples{7}), 7);
  EXPECT_EQ(median(Samples{3, 1}), 2);
  EXPECT_EQ(median(Samples{9, 1, 5}), 5);
  EXPECT_EQ(median(Samples{4, 1, 3, 2}), 2.5);
  EXPECT_EQ(median(shuffled_ranks(1001)), 501);
  EXPECT_EQ(median(shuffled_ranks(1000)), 500.5);
}

TEST(Median, LeavesItsInputAlone) {
  const Samples before = shuffled_ranks(100);
  const Samples samples = before;
  static_cast<void>(median(samples));
  EXPECT_EQ(samples, before);
}

TEST(Quantile, IsHyndmanAndFanType7) {
  // R: quantile(1:10, c(0, .1, .25, .9, 1), type = 7)
  const Samples ten = shuffled_ranks(10);
  EXPECT_DOUBLE_EQ(quantile(ten, 0), 1);
  EXPECT_DOUBLE_EQ(quantile(ten, 0.1), 1.9);
  EXPECT_DOUBLE_EQ(quantile(ten, 0.25), 3.25);
  EXPECT_DOUBLE_EQ(quantile(ten, 0.9), 9.1);
  EXPECT_DOUBLE_EQ(quantile(ten, 1), 10);
  EXPECT_DOUBLE_EQ(quantile(Samples{10, 1, 4, 2, 3}, 0.9), 7.6);
  EXPECT_DOUBLE_EQ(quantile(shuffled_ranks(1000), 0.99), 990.01);
}

TEST(Quantile, RefusesProbabilitiesOutsideTheUnitInterval) {
  EXPECT_TRUE(std::isnan(quantile(Samples{1, 2}, -0.1)));
  EXPECT_TRUE(std::isnan(quantile(Samples{1, 2}, 1.1)));
  EXPECT_TRUE(std::isnan(quantile(Samples{1, 2}, nan)));
}

TEST(MedianAbsoluteDeviation, MatchesHandComputedValues) {
  EXPECT_EQ(median_absolute_deviation(Samples{1, 1, 2, 2, 4, 6, 9}), 1);
  EXPECT_EQ(median_absolute_deviation(Samples{5, 5, 5}), 0);
  EXPECT_EQ(median_absolute_deviation(Samples{-3, 1, 5, 100}), 4);
}

TEST(Statistics, EmptyAndNaNGiveNaN) {
  for (const Samples& samples : {Samples{}, Samples{nan}, Samples{1, nan, 3}, Samples{nan, 1, 2, 3, 4, 5, 6, 7}}) {
    EXPECT_TRUE(std::isnan(median(samples)));
    EXPECT_TRUE(std::isnan(quantile(samples, 0.25)));
    EXPECT_TRUE(std::isnan(median_absolute_deviation(samples)));
    EXPECT_TRUE(std::isnan(autocorrelation(samples)));
    const Interval interval = median_interval(samples);
    EXPECT_TRUE(std::isnan(interval.low));
    EXPECT_TRUE(std::isnan(interval.high));
    EXPECT_TRUE(std::isnan(interval.confidence));
  }
}

struct IntervalRanks {
  std::size_t n;
  double low;
  double high;
  double coverage;
};

TEST(MedianInterval, HasTheRanksOfTheBinomialTables) {
  // Ranks and coverage from cumulative binomial(n, 1/2) tables, two-sided 95 %.
  const IntervalRanks expected[] = {
      {6, 1, 6, 0.968750},     {8, 1, 8, 0.992188},        {9, 2, 8, 0.960938},   {10, 2, 9, 0.978516},
      {15, 4, 12, 0.964844},   {20, 6, 15, 0.958611},      {25, 8, 18, 0.956715}, {50, 18, 33, 0.967161},
      {100, 40, 61, 0.964800}, {1000, 469, 532, 0.953709},
  };
  for (const auto& [n, low, high, coverage] : expected) {
    const Interval interval = median_interval(shuffled_ranks(n));
    EXPECT_EQ(interval.low, low) << n;
    EXPECT_EQ(interval.high, high) << n;
    EXPECT_NEAR(interval.confidence, coverage, 1e-6) << n;
  }
}

TEST(MedianInterval, SaysHowLittleFewSamplesTell) {
  for (std::size_t n = 1; n < 6; ++n) {
    const Interval interval = median_interval(shuffled_ranks(n));
    EXPECT_EQ(interval.low, 1);
    EXPECT_EQ(interval.high, static_cast<double>(n));
    EXPECT_NEAR(interval.confidence, 1 - std::exp2(1 - static_cast<double>(n)), 1e-12);
  }
}

TEST(MedianInterval, IsExactForAMillionSamples) {
  // Normal approximation with continuity correction, good to one rank here: k = (n - 1.959964 sqrt(n)) / 2.
  const Interval interval = median_interval(shuffled_ranks(1'000'000));
  EXPECT_NEAR(interval.low, 499'020.5, 1.5);
  EXPECT_EQ(interval.low + interval.high, 1'000'001);
  EXPECT_GE(interval.confidence, 0.95);
  EXPECT_LT(interval.confidence, 0.9503);
}

TEST(MedianInterval, CoversTheTrueMedianAsOftenAsItSays) {
  // Skewed population with median 1; 4000 trials, five standard errors of slack.
  constexpr int trials = 4000;
  Random random(20'241);
  for (const std::size_t n : {5u, 7u, 12u, 30u}) {
    int covered = 0;
    double coverage = 0;
    for (int trial = 0; trial < trials; ++trial) {
      Samples samples(n);
      for (double& x : samples) x = -std::log(1 - random.uniform()) / std::log(2.0);
      const Interval interval = median_interval(samples);
      coverage = interval.confidence;
      covered += interval.low <= 1 && 1 <= interval.high ? 1 : 0;
    }
    const double slack = 5 * std::sqrt(coverage * (1 - coverage) / trials);
    EXPECT_NEAR(static_cast<double>(covered) / trials, coverage, slack) << n;
  }
}

TEST(Autocorrelation, MatchesHandComputedValues) {
  EXPECT_DOUBLE_EQ(autocorrelation(Samples{1, 2, 3, 4, 5}), 0.4);
  EXPECT_DOUBLE_EQ(autocorrelation(Samples{1, -1, 1, -1, 1, -1, 1, -1, 1, -1}), -0.9);
  EXPECT_EQ(autocorrelation(Samples{1, 2}), 0);
  EXPECT_EQ(autocorrelation(Samples{0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1}), 0);
}

TEST(Autocorrelation, RecognisesAnAutoregressiveSeries) {
  Random random(5);
  Samples series(20'000);
  double x = 0;
  for (double& value : series) {
    x = 0.7 * x + random.uniform() - 0.5;
    value = x;
  }
  EXPECT_NEAR(autocorrelation(series), 0.7, 0.03);
  random.shuffle(series);
  EXPECT_NEAR(autocorrelation(series), 0, 0.03);
}

TEST(LogHistogram, EveryBinHoldsItsLowerEdgeAndNotTheNext) {
  for (std::size_t bin = 0; bin < LogHistogram::bins; ++bin) {
    const double edge = LogHistogram::lower_edge(bin);
    EXPECT_NEAR(edge / (1e-9 * std::pow(2.0, static_cast<double>(bin) / 8)), 1, 1e-12);
    EXPECT_EQ(LogHistogram::bin_of(edge), bin);
    EXPECT_EQ(LogHistogram::bin_of(std::nextafter(edge, 0)), bin == 0 ? 0 : bin - 1);
  }
}

TEST(LogHistogram, EndBinsTakeWhatLiesOutside) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double x : {0.0, -1.0, 1e-12, -infinity}) EXPECT_EQ(LogHistogram::bin_of(x), 0u);
  for (const double x : {1e12, infinity, nan}) EXPECT_EQ(LogHistogram::bin_of(x), LogHistogram::bins - 1);
  EXPECT_EQ(LogHistogram::bin_of(1e-6), 79u);  // 8 * log2(1000) = 79.7
}

}  // namespace
}  // namespace assay
