#include "inventory/usage.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <vector>

#include "core/clock.hpp"
#include "core/statistics.hpp"
#include "tests/inventory/planted_root.hpp"

namespace assay {
namespace {

using assay::testing::PlantedRoot;

TEST(Usage, AddsUpTheColumns) {
  PlantedRoot root;
  root.write("/proc/stat", "cpu  100 20 300 5000 60 7 13 40 55 5\ncpu0 1 1 1 1 1 1 1 1 1 1");
  const auto times = UsageProbe(root).cpu_times();
  ASSERT_TRUE(times.known());
  EXPECT_DOUBLE_EQ(times.value().busy, 4.40);  // 100 ticks are a second; guest time is within user
  EXPECT_DOUBLE_EQ(times.value().steal, 0.40);
  EXPECT_DOUBLE_EQ(times.value().total, 55.40);
}

TEST(Usage, UnreadableIsNotANumber) {
  PlantedRoot root;
  EXPECT_TRUE(std::isnan(UsageProbe(root).snapshot().node.busy));
  for (const auto* text : {"cpu 1 2 3", "intr 1 2 3 4 5 6 7 8 9", "cpu a b c d e f g h i j"}) {
    root.write("/proc/stat", text);
    EXPECT_TRUE(std::isnan(UsageProbe(root).snapshot().node.busy)) << text;
  }
  const auto snapshot = UsageProbe(root).snapshot();
  const auto delta = usage_between(snapshot, UsageProbe(root).snapshot(), 0);
  EXPECT_TRUE(std::isnan(delta.competing_cpus));
  EXPECT_TRUE(std::isnan(delta.steal_share));
}

TEST(Usage, DeltaSharesOutTheNode) {
  const UsageSnapshot before{100, {50, 2, 400}, 10, 7};
  const UsageSnapshot after{102, {55, 2.4, 408}, 12, 10};  // 4 CPUs for 2 s
  const auto delta = usage_between(before, after, 4.0);
  EXPECT_DOUBLE_EQ(delta.competing_cpus, 0.5);
  EXPECT_DOUBLE_EQ(delta.own_cpus, 2.0);
  EXPECT_DOUBLE_EQ(delta.steal_share, 0.05);
  EXPECT_EQ(delta.involuntary_switches, 3);
}

TEST(Usage, RoundingOfTheKernelNeverGivesLessThanNothing) {
  const UsageSnapshot before{100, {50, 2, 400}, 10, 7};
  const UsageSnapshot after{102, {51.99, 2, 408}, 12, 10};
  EXPECT_EQ(usage_between(before, after, 2.0).competing_cpus, 0);
}

TEST(Usage, NoTimeBetweenIsNotANumber) {
  const UsageSnapshot moment{100, {50, 2, 400}, 10, 7};
  const auto delta = usage_between(moment, moment, 0);
  EXPECT_TRUE(std::isnan(delta.competing_cpus));
  EXPECT_TRUE(std::isnan(delta.own_cpus));
  EXPECT_TRUE(std::isnan(delta.steal_share));
}

TEST(Usage, SeesOwnWorkOnThisMachine) {
  const SystemRoot root;
  const UsageProbe probe(root);
  const auto before = probe.snapshot();
  const double start = monotonic_seconds();
  while (probe.snapshot().own_seconds - before.own_seconds < 0.1 && monotonic_seconds() - start < 20) {
  }
  const auto after = probe.snapshot();
  const double own = after.own_seconds - before.own_seconds;
  EXPECT_GE(own, 0.1);
  const auto delta = usage_between(before, after, own);
  EXPECT_GT(delta.own_cpus, 0);
  EXPECT_LT(delta.own_cpus, 1.1);
  EXPECT_TRUE(std::isfinite(delta.competing_cpus));
  EXPECT_GE(after.node.busy - before.node.busy, own - 0.05);
}

TEST(Usage, SnapshotIsCheap) {
  const SystemRoot root;
  const UsageProbe probe(root);
  std::vector<double> seconds;
  for (int i = 0; i < 200; ++i) {
    const double start = monotonic_seconds();
    static_cast<void>(probe.snapshot());
    seconds.push_back(monotonic_seconds() - start);
  }
  RecordProperty("snapshot_seconds_median", std::to_string(median(seconds)));
  EXPECT_LT(median(seconds), 2e-3);  // many CPUs, sanitizers and a busy machine included
}

}  // namespace
}  // namespace assay
