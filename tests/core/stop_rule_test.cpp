#include "core/stop_rule.hpp"

#include <limits>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "core/random.hpp"
#include "core/statistics.hpp"

namespace assay {
namespace {

using Samples = std::vector<double>;

TEST(StopRule, GoesOnUntilTheMinimumTimeEvenWhenPrecise) {
  const StopRule rule;
  EXPECT_EQ(rule.decide({}, Seconds(0)), StopReason::go_on);
  EXPECT_EQ(rule.decide(Samples(99, 0.001), Seconds(0.1)), StopReason::go_on);
  EXPECT_EQ(rule.decide(Samples(101, 0.001), Seconds(0.11)), StopReason::precise);
}

TEST(StopRule, NeedsEnoughSamplesForA95PercentInterval) {
  StopRule rule;
  rule.minimum_count = 2;
  EXPECT_EQ(rule.decide(Samples(5, 0.1), Seconds(0.5)), StopReason::go_on);  // coverage 0.9375
  EXPECT_EQ(rule.decide(Samples(6, 0.1), Seconds(0.6)), StopReason::precise);
  rule.minimum_count = 8;
  EXPECT_EQ(rule.decide(Samples(6, 0.1), Seconds(0.6)), StopReason::go_on);
}

TEST(StopRule, TargetIsTheHalfWidthRelativeToTheMedian) {
  StopRule rule;
  rule.target_relative_width = 0.05;
  const Samples samples{0.095, 0.100, 0.100, 0.100, 0.100, 0.105};  // [x1, x6]: half width 5 %
  rule.target_relative_width = 0.0501;
  EXPECT_EQ(rule.decide(samples, Seconds(0.6)), StopReason::precise);
  rule.target_relative_width = 0.0499;
  EXPECT_EQ(rule.decide(samples, Seconds(0.6)), StopReason::go_on);
}

TEST(StopRule, StopsByTimeAndByCount) {
  StopRule rule;
  EXPECT_EQ(rule.decide(Samples{1.2}, Seconds(1.3)), StopReason::time_spent);
  EXPECT_EQ(rule.decide(Samples{0.2, 0.3}, Seconds(1.1)), StopReason::time_spent);  // overhead took the rest
  EXPECT_EQ(rule.decide(Samples{0.02, 0.03}, Seconds(1.1)), StopReason::go_on);     // minimum time first
  rule.maximum_count = 2;
  EXPECT_EQ(rule.decide(Samples{1e-9, 2e-9}, Seconds(0)), StopReason::count_reached);
}

TEST(StopRule, ByWallTheDevicesOwnSecondsDoNotHoldTheEndBack) {
  StopRule rule;
  EXPECT_EQ(rule.decide(Samples(100, 1e-5), Seconds(0.5)), StopReason::go_on);  // 1 ms measured
  rule.by_wall = true;
  EXPECT_EQ(rule.decide(Samples(100, 1e-5), Seconds(0.05)), StopReason::go_on);
  EXPECT_EQ(rule.decide(Samples(100, 1e-5), Seconds(0.5)), StopReason::precise);
  EXPECT_LE(rule.next_batch(Samples(100, 1e-5), Seconds(0.9)), 12u);  // 0.1 s of 9 ms each are left
}

TEST(StopRule, NaNNeverCountsAsPreciseAndStillEnds) {
  const StopRule rule;
  Samples samples(100, 0.005);
  samples[50] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(rule.decide(samples, Seconds(0.6)), StopReason::go_on);
  EXPECT_EQ(rule.decide(samples, Seconds(1.0)), StopReason::time_spent);
  EXPECT_GE(rule.next_batch(samples, Seconds(0.6)), 1u);
  EXPECT_LE(rule.next_batch(samples, Seconds(0.6)), 100u);
}

TEST(StopRule, BatchesDoubleAndFitTimeAndCount) {
  StopRule rule;
  EXPECT_EQ(rule.next_batch({}, Seconds(0)), 1u);
  EXPECT_EQ(rule.next_batch(Samples(8, 1e-6), Seconds(1e-5)), 8u);
  EXPECT_EQ(rule.next_batch(Samples(8, 0.1), Seconds(0.8)), 2u);   // 0.2 s left
  EXPECT_EQ(rule.next_batch(Samples(8, 0.05), Seconds(0.8)), 2u);  // wall time counts
  EXPECT_EQ(rule.next_batch(Samples(8, 0.001), Seconds(2)), 8u);   // minimum time comes first
  EXPECT_EQ(rule.next_batch(Samples(1, 5.0), Seconds(5)), 1u);
  EXPECT_EQ(rule.next_batch(Samples(8, 0.0), Seconds(0)), 8u);
  rule.maximum_count = 11;
  EXPECT_EQ(rule.next_batch(Samples(8, 1e-6), Seconds(1e-5)), 3u);
}

/// A random rule and a random noisy operation, driven as the harness does it.
struct Simulation {
  explicit Simulation(std::uint64_t seed) : random(seed) {
    rule.target_relative_width = 0.001 + 0.05 * random.uniform();
    rule.minimum_count = 1 + random.below(20);
    rule.maximum_count = 1 + random.below(random.below(2) == 0 ? 50 : 5000);
    rule.minimum_time = Seconds(0.2 * random.uniform());
    rule.maximum_time = rule.minimum_time + Seconds(random.uniform());
    typical = 1e-4 + 0.05 * random.uniform() * random.uniform();
    noise = 0.3 * random.uniform();
    overhead = typical * random.uniform();
  }

  void batch(std::uint64_t count) {
    for (; count > 0; --count) {
      samples.push_back(typical * (1 + noise * random.uniform()));
      spent += samples.back() + overhead;
    }
  }

  [[nodiscard]] double measured() const { return std::accumulate(samples.begin(), samples.end(), 0.0); }

  Random random;
  StopRule rule;
  double typical;
  double noise;
  double overhead;
  Samples samples;
  double spent = 0;
};

void check_stop(const Simulation& simulation, StopReason reason) {
  const StopRule& rule = simulation.rule;
  ASSERT_LE(simulation.samples.size(), rule.maximum_count);
  if (reason == StopReason::count_reached) return;
  ASSERT_GE(simulation.measured(), rule.minimum_time.value);
  if (reason == StopReason::time_spent) {
    ASSERT_GE(simulation.spent, rule.maximum_time.value);
    return;
  }
  ASSERT_EQ(reason, StopReason::precise);
  ASSERT_GE(simulation.samples.size(), rule.minimum_count);
  const Interval interval = median_interval(simulation.samples);
  ASSERT_GE(interval.confidence, 0.95);
  ASSERT_LE(interval.high - interval.low, 2 * rule.target_relative_width * median(simulation.samples));
}

TEST(StopRule, HoldsItsPromisesForRandomRulesAndOperations) {
  int seen[4] = {};
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    Simulation simulation(seed);
    const StopRule& rule = simulation.rule;
    StopReason reason = StopReason::go_on;
    int decisions = 0;
    while (reason == StopReason::go_on) {
      const std::uint64_t done = simulation.samples.size();
      const std::uint64_t batch = rule.next_batch(simulation.samples, Seconds(simulation.spent));
      ASSERT_GE(batch, 1u);
      ASSERT_LE(batch, std::max<std::uint64_t>(1, done));
      ASSERT_LE(done + batch, rule.maximum_count);
      simulation.batch(batch);
      ASSERT_LT(++decisions, 60);
      reason = rule.decide(simulation.samples, Seconds(simulation.spent));
    }
    // The batch that ends a series may overshoot by what a batch's estimate is off, never by a doubling.
    const double longest = simulation.typical * (1 + simulation.noise) + simulation.overhead;
    ASSERT_LE(simulation.measured(), 1.35 * rule.maximum_time.value + longest);
    check_stop(simulation, reason);
    ++seen[static_cast<int>(reason)];
  }
  for (const auto reason : {StopReason::precise, StopReason::time_spent, StopReason::count_reached}) {
    EXPECT_GT(seen[static_cast<int>(reason)], 20) << to_string(reason);
  }
}

TEST(StopRule, NamesItsReasons) {
  EXPECT_EQ(to_string(StopReason::go_on), "go_on");
  EXPECT_EQ(to_string(StopReason::precise), "precise");
  EXPECT_EQ(to_string(StopReason::time_spent), "time_spent");
  EXPECT_EQ(to_string(StopReason::count_reached), "count_reached");
}

}  // namespace
}  // namespace assay
