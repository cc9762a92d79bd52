#include "launcher/run/telemetry.hpp"

#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "core/clock.hpp"
#include "core/thread_group.hpp"
#include "launcher/run/clock_offset.hpp"
#include "launcher/run/telemetry_rules.hpp"

namespace assay {
namespace {

using results::TelemetryRow;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(ChangeFilter, KeepsTheFirstAndWhatMovedBeyondTheResolution) {
  ChangeFilter filter;
  EXPECT_TRUE(filter.passes({0, "gpu.sm_clock", 1980e6}));
  EXPECT_FALSE(filter.passes({0, "gpu.sm_clock", 1980e6}));
  EXPECT_FALSE(filter.passes({0, "gpu.sm_clock", 1970e6}));
  EXPECT_TRUE(filter.passes({0, "gpu.sm_clock", 1965e6}));
  EXPECT_FALSE(filter.passes({0, "gpu.sm_clock", 1975e6}));
  EXPECT_TRUE(filter.passes({1, "gpu.sm_clock", 1965e6}));
}

TEST(ChangeFilter, SlowDriftIsNotLost) {
  ChangeFilter filter;
  int kept = 0;
  for (int step = 0; step <= 100; ++step)
    if (filter.passes({0, "gpu.temperature", 30 + 0.1 * step})) ++kept;
  EXPECT_GE(kept, 15);
}

TEST(ChangeFilter, CountersAndReasonsAreExact) {
  EXPECT_EQ(telemetry_resolution("nic.symbol_error", 1e9), 0);
  EXPECT_EQ(telemetry_resolution("gpu.clock_event_reasons", 4), 0);
  EXPECT_EQ(telemetry_resolution("gpu.power", 700), 14);
  EXPECT_EQ(telemetry_resolution("gpu.power", 40), 2);
}

/// Counts how often it is asked; its values never change.
struct Asked {
  std::atomic<int> fast{0};
  std::atomic<int> slow{0};
  std::atomic<int> counters{0};
};

class CountingSource final : public TelemetrySource {
 public:
  explicit CountingSource(Asked& asked, std::chrono::milliseconds counters_take = {})
      : asked_(asked), counters_take_(counters_take) {}
  std::vector<TelemetryValue> fast() override {
    ++asked_.fast;
    return {{0, "gpu.sm_clock", 1e9}};
  }
  std::vector<TelemetryValue> slow() override {
    ++asked_.slow;
    return {{0, "gpu.temperature", 30}};
  }
  std::vector<TelemetryValue> counters() override {
    ++asked_.counters;
    std::this_thread::sleep_for(counters_take_);
    return {{0, "nic.rx_bytes", 5}};
  }
  std::vector<std::string> happenings() override {
    return asked_.fast == 1 ? std::vector<std::string>{"something"} : std::vector<std::string>{};
  }

 private:
  Asked& asked_;
  std::chrono::milliseconds counters_take_;
};

/// A loaded machine may leave a thread without a CPU for long.
void wait_until(const std::atomic<int>& count, int reached) {
  const double begin = monotonic_seconds();
  while (count < reached && monotonic_seconds() - begin < 20) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  ASSERT_GE(count, reached);
}

TEST(Telemetry, ReadsMoreThanTenTimesASecond) {
  EXPECT_LT(Telemetry::period.value, 0.1);
  Asked asked;
  Telemetry telemetry(std::make_unique<CountingSource>(asked));
  wait_until(asked.fast, 10);
  EXPECT_LT(asked.slow, asked.fast);
  EXPECT_EQ(asked.counters, 0);
}

TEST(Telemetry, KeepsChangesAndBorders) {
  Asked asked;
  Telemetry telemetry(std::make_unique<CountingSource>(asked));
  wait_until(asked.fast, 3);
  auto harvest = telemetry.take();
  EXPECT_THAT(harvest.rows, ElementsAre(Field(&TelemetryRow::metric, "gpu.sm_clock"),
                                        Field(&TelemetryRow::metric, "gpu.temperature")));
  EXPECT_THAT(harvest.happenings, SizeIs(1));
  const double before = monotonic_seconds();
  telemetry.mark();
  telemetry.mark();
  harvest = telemetry.take();
  EXPECT_THAT(harvest.rows,
              ElementsAre(Field(&TelemetryRow::metric, "gpu.sm_clock"), Field(&TelemetryRow::metric, "nic.rx_bytes"),
                          Field(&TelemetryRow::metric, "gpu.sm_clock")));
  EXPECT_GE(harvest.rows[0].time, before);
  EXPECT_THAT(telemetry.take().rows, IsEmpty());
}

TEST(Telemetry, CountersThatAreDearAreReadSeldom) {
  Asked asked;
  Telemetry telemetry(std::make_unique<CountingSource>(asked, std::chrono::milliseconds(4)));
  const double begin = monotonic_seconds();
  int marks = 0;
  for (; monotonic_seconds() - begin < 0.9; ++marks) telemetry.mark();
  EXPECT_LE(asked.counters, 2);  // 250 times what a reading takes has to pass before the next
  EXPECT_GT(marks, 2);
}

TEST(Telemetry, TellsWhatItCosts) {
  Asked asked;
  Telemetry telemetry(std::make_unique<CountingSource>(asked));
  wait_until(asked.fast, 7);
  const auto cost = telemetry.cost();
  EXPECT_GE(cost.wall_seconds, 0.4);
  EXPECT_GT(cost.cpu_seconds, 0);
  EXPECT_LT(cost.cpu_seconds / cost.wall_seconds, 0.01);
}

constexpr GpuPlace card{1, 2};

TelemetryRow row(double time, const char* metric, double value, GpuPlace place = card) {
  return {time, place.node, place.gpu, metric, value};
}
TelemetryRow reasons(double time, double bits, GpuPlace place = card) {
  return row(time, "gpu.clock_event_reasons", bits, place);
}
TelemetryRow clock_row(double time, double megahertz) { return row(time, "gpu.sm_clock", 1e6 * megahertz); }

TEST(TelemetryRules, EachBadReasonIsThrottling) {
  for (const double bits : {0x8, 0x20, 0x40, 0x80, 0x44})
    EXPECT_EQ(flags_of_gpu({reasons(1, 0), reasons(2, bits)}, card, {1, 3}), results::flag_throttled) << bits;
}

TEST(TelemetryRules, PowerCapAndIdlenessAreNot) {
  EXPECT_EQ(flags_of_gpu({reasons(1, 0x1), reasons(2, 0x4), reasons(2.5, 0x2)}, card, {1, 3}), 0U);
  EXPECT_EQ(flags_of_gpu({}, card, {1, 3}), 0U);
}

TEST(TelemetryRules, OnlyTheWindowAndTheGpuCount) {
  EXPECT_EQ(flags_of_gpu({reasons(0.5, 0x40), reasons(3.5, 0x40)}, card, {1, 3}), 0U);
  EXPECT_EQ(flags_of_gpu({reasons(2, 0x40, {1, 3}), reasons(2, 0x40, {0, 2})}, card, {1, 3}), 0U);
  EXPECT_EQ(flags_of_gpus({reasons(2, 0x40, {1, 3})}, {card, {1, 3}}, {1, 3}), results::flag_throttled);
}

TEST(TelemetryRules, AClockThatMovesUnderLoadIsMarked) {
  const std::vector<TelemetryRow> rows{clock_row(1, 1980), reasons(1, 0), clock_row(2, 1800)};
  EXPECT_EQ(flags_of_gpu(rows, card, {1, 3}), results::flag_clock_changed);
  EXPECT_EQ(flags_of_gpu({clock_row(1, 1980), reasons(1, 0), clock_row(2, 1900)}, card, {1, 3}), 0U);
}

TEST(TelemetryRules, AClockThatThePowerLimitMovesIsNot) {
  EXPECT_EQ(flags_of_gpu({clock_row(1, 1980), reasons(1, 0), clock_row(2, 1410), reasons(2, 0x4)}, card, {1, 3}), 0U);
}

TEST(TelemetryRules, GoingIdleIsNoMove) {
  EXPECT_EQ(flags_of_gpu({clock_row(1, 345), reasons(1, 0x1), clock_row(2, 1980), reasons(2, 0)}, card, {1, 3}), 0U);
  EXPECT_EQ(flags_of_gpu({clock_row(1, 345), reasons(1, 0), row(1, "gpu.utilization", 0), clock_row(2, 1980),
                          row(2, "gpu.utilization", 1)},
                         card, {1, 3}),
            0U);
}

TEST(TelemetryRules, AClockHeldForAMomentIsNoMove) {
  EXPECT_EQ(flags_of_gpu({clock_row(1, 1980), reasons(1, 0), clock_row(2, 1200), clock_row(2.08, 1980)}, card, {1, 3}),
            0U);
}

TEST(ClockOffset, MedianOverRoundsLeavesALateOneOut) {
  EXPECT_THAT(offsets_from({{1, 2, 3}, {11, 12, 19}, {1, 2, 3}}), ElementsAre(0, -10, 0));
}

TEST(ClockOffset, RanksOfOneKernelShareItsClock) {
  run_thread_group(3, [](Group& world) { EXPECT_EQ(clock_offset(world, "boot"), 0); });
}

TEST(ClockOffset, OfAnotherKernelIsMeasured) {
  run_thread_group(3, [](Group& world) {
    const double offset = clock_offset(world, world.rank() == 2 ? "other" : "boot");
    if (world.rank() < 2) {
      EXPECT_EQ(offset, 0);
    } else {
      EXPECT_NE(offset, 0);
    }
    EXPECT_LT(std::abs(offset), 0.5);  // threads: it is the same clock
  });
}

}  // namespace
}  // namespace assay
