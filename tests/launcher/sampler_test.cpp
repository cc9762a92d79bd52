#include "launcher/run/sampler.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <mutex>
#include <thread>

#include "core/error.hpp"
#include "core/thread_group.hpp"
#include "tests/launcher/fake_case.hpp"

namespace assay {
namespace {

using testing::FakeSteps;

void wait_seconds(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

StopRule short_rule() {
  StopRule rule;
  rule.minimum_time = Seconds(0.002);
  rule.maximum_time = Seconds(0.02);
  rule.maximum_count = 200;
  return rule;
}

// Measures on `ranks` threads and returns what each rank got.
std::vector<Sampled> measure(int ranks, const CaseInfo& info, const std::function<bool(int)>& stop = {}) {
  std::vector<Sampled> results(static_cast<std::size_t>(ranks));
  run_thread_group(ranks, [&](Group& group) {
    MonotonicClock clock;
    PhaseBoard board(clock);
    BufferPool buffers;
    Context context{group, buffers, 1, Deadline(clock, Seconds(10)), {0}, {}, {}};
    const int rank = group.rank();
    Sampler sampler({group, group}, board, short_rule(), {Seconds(10), Seconds(10)},
                    [&] { return stop && stop(rank); });
    results[static_cast<std::size_t>(rank)] = sampler.measure(info, context, *Point::parse("bytes:8"));
  });
  return results;
}

TEST(Sampler, AllRanksTakeTheSameNumberOfIterations) {
  FakeSteps steps;
  steps.run = [](Context& context) { wait_seconds(context.group.rank() == 1 ? 4e-4 : 1e-4); };
  const CaseInfo info = testing::fake_info(steps);
  const auto results = measure(3, info);
  for (const Sampled& result : results) {
    EXPECT_EQ(result.status, SeriesStatus::ok);
    EXPECT_EQ(result.seconds.size(), results[0].seconds.size());
    EXPECT_EQ(result.stop, results[0].stop);
    EXPECT_NE(result.stop, StopReason::go_on);
    EXPECT_EQ(result.check.checked, 3u);
  }
  EXPECT_GT(results[1].seconds[0], 3.9e-4);
}

TEST(Sampler, DeviceTimingTakesTheCasesOwnSecondsInBatchesOfTheAllowedLength) {
  FakeSteps steps;
  std::size_t longest = 0;
  std::mutex guard;
  steps.run = [](Context&) { wait_seconds(5e-5); };
  steps.device_seconds = [&](std::span<double> out) {
    const std::lock_guard lock(guard);
    longest = std::max(longest, out.size());
    for (double& seconds : out) seconds = 1e-6;
  };
  steps.method = "by magic";
  CaseInfo info = testing::fake_info(steps);
  info.timing = Timing::device;
  info.longest_batch = 7;
  for (const Sampled& result : measure(2, info)) {
    EXPECT_EQ(result.status, SeriesStatus::ok);
    EXPECT_THAT(result.seconds, ::testing::Each(1e-6));
    EXPECT_GT(result.batch_seconds, 1e-3);  // wall time ends the series, 1e-6 s each never would
    EXPECT_LT(result.batch_seconds, 1);
    EXPECT_EQ(result.method, "by magic");
  }
  EXPECT_EQ(longest, 7u);
}

TEST(Sampler, DeviceTimingWithoutOwnSecondsYieldsNaNNotZero) {
  FakeSteps steps;
  steps.run = [](Context&) { wait_seconds(5e-5); };
  CaseInfo info = testing::fake_info(steps);
  info.timing = Timing::device;
  info.make = [&steps](Context& context, const Point&) -> std::unique_ptr<Case> {
    class Silent final : public Case {
     public:
      explicit Silent(Context& c, const FakeSteps& s) : context_(c), steps_(s) {}
      void run() override { steps_.run(context_); }
      Check verify() override { return {1, 0, ""}; }
      bool corrupt() override { return false; }
      [[nodiscard]] Work work() const override { return steps_.work; }

     private:
      Context& context_;
      const FakeSteps& steps_;
    };
    return std::make_unique<Silent>(context, steps);
  };
  for (const Sampled& result : measure(1, info))
    for (const double seconds : result.seconds) EXPECT_TRUE(std::isnan(seconds));
}

TEST(Sampler, FailureToSetUpOnOneRankFailsAllAndIsTold) {
  FakeSteps steps;
  steps.make = [](Context& context) {
    if (context.group.rank() == 2) throw environment_error("disk full", "free some");
  };
  const auto results = measure(3, testing::fake_info(steps));
  for (const Sampled& result : results) EXPECT_EQ(result.status, SeriesStatus::failed);
  EXPECT_EQ(results[0].failure, "");
  EXPECT_EQ(results[2].failure, "disk full (free some)");
}

TEST(Sampler, FailureInMidMeasurementFailsAll) {
  FakeSteps steps;
  std::atomic<int> runs{0};
  steps.run = [&](Context& context) {
    wait_seconds(1e-4);
    if (context.group.rank() == 0 && ++runs == 20) throw environment_error("lost the device");
  };
  const auto results = measure(2, testing::fake_info(steps));
  EXPECT_EQ(results[0].status, SeriesStatus::failed);
  EXPECT_EQ(results[1].status, SeriesStatus::failed);
  EXPECT_EQ(results[0].failure, "lost the device");
}

TEST(Sampler, WrongElementsOfAnyRankMakeTheSeriesWrong) {
  FakeSteps steps;
  steps.verify = [](Context& context) { return Check{10, context.group.rank() == 1 ? 2u : 0u, "element 3"}; };
  for (const Sampled& result : measure(2, testing::fake_info(steps))) {
    EXPECT_EQ(result.status, SeriesStatus::wrong_data);
    EXPECT_EQ(result.check.checked, 20u);
    EXPECT_EQ(result.check.wrong, 2u);
  }
}

TEST(Sampler, NothingCheckedIsNeverRight) {
  FakeSteps steps;
  steps.verify = [](Context&) { return Check{}; };
  EXPECT_EQ(measure(1, testing::fake_info(steps))[0].status, SeriesStatus::wrong_data);
}

TEST(Sampler, StopOnOneRankInterruptsAll) {
  FakeSteps steps;
  steps.run = [](Context&) { wait_seconds(1e-3); };
  const auto results = measure(2, testing::fake_info(steps), [](int rank) { return rank == 1; });
  EXPECT_EQ(results[0].status, SeriesStatus::interrupted);
  EXPECT_EQ(results[1].status, SeriesStatus::interrupted);
}

TEST(Sampler, HopelesslySlowPointKeepsItsTrialAsSample) {
  FakeSteps steps;
  steps.run = [](Context&) { wait_seconds(1.05); };
  const auto results = measure(2, testing::fake_info(steps));
  for (const Sampled& result : results) {
    EXPECT_EQ(result.status, SeriesStatus::too_slow);
    ASSERT_EQ(result.seconds.size(), 1u);
    EXPECT_GT(result.seconds[0], 1.0);
  }
}

TEST(Sampler, SharedStartCountsTheWaitForATimeSharedCore) {
  FakeSteps steps;
  std::mutex core;  // one core for two ranks: the second begins when the first is done
  steps.run = [&](Context&) {
    const std::lock_guard lock(core);
    wait_seconds(2e-3);
  };
  CaseInfo info = testing::fake_info(steps);
  info.barrier_before_each = true;
  info.timing = Timing::shared_start;
  const auto results = measure(2, info);
  const std::size_t n = results[0].seconds.size();
  std::vector<double> both = results[0].seconds;
  both.insert(both.end(), results[1].seconds.begin(), results[1].seconds.end());
  const auto of_set = combine_seconds(Combine::slowest, both, 2);
  ASSERT_EQ(of_set.size(), n);
  for (const double seconds : of_set) EXPECT_GT(seconds, 3.9e-3);
}

}  // namespace
}  // namespace assay
