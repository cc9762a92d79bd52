#include "inventory/fingerprint.hpp"

#include <gmock/gmock.h>
#include <sched.h>

#include <atomic>
#include <cmath>
#include <thread>
#include <vector>

#include "core/clock.hpp"
#include "inventory/cache_line_table.hpp"

namespace assay {
namespace {

std::vector<int> own_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  EXPECT_EQ(sched_getaffinity(0, sizeof(set), &set), 0);
  std::vector<int> cpus;
  for (std::size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) cpus.push_back(static_cast<int>(cpu));
  }
  return cpus;
}

/// Threads that compute on every CPU while it lives.
class Load {
 public:
  explicit Load(std::size_t threads) {
    for (std::size_t i = 0; i < threads; ++i) {
      threads_.emplace_back([this] {
        while (!stop_.load(std::memory_order_relaxed)) {
        }
      });
    }
  }
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;
  ~Load() {
    stop_ = true;
    for (auto& thread : threads_) thread.join();
  }

 private:
  std::atomic<bool> stop_{false};
  std::vector<std::thread> threads_;
};

TEST(Fingerprint, IsPlausibleAndGivesTheAffinityBack) {
  const auto before = own_cpus();
  ASSERT_GE(before.size(), 2U) << "needs two CPUs";
  const auto latency = cache_line_latency(before.front(), before.back(), Seconds(0.2));
  EXPECT_GT(latency.value, 1e-9);
  EXPECT_LT(latency.value, 1e-3);
  EXPECT_EQ(own_cpus(), before);
}

TEST(Fingerprint, NeedsTwoCpusOfOurs) {
  const auto before = own_cpus();
  EXPECT_TRUE(std::isnan(cache_line_latency(before.front(), before.front()).value));
  EXPECT_TRUE(std::isnan(cache_line_latency(-1, before.front()).value));
  EXPECT_TRUE(std::isnan(cache_line_latency(before.front(), 100'000).value));
  EXPECT_TRUE(std::isnan(cache_line_latency(100'000, before.front()).value));
  EXPECT_EQ(own_cpus(), before);
}

TEST(Fingerprint, EndsUnderLoad) {
  const auto cpus = own_cpus();
  ASSERT_GE(cpus.size(), 2U) << "needs two CPUs";
  const Load load(2 * cpus.size());
  const double start = monotonic_seconds();
  const auto latency = cache_line_latency(cpus.front(), cpus.back(), Seconds(0.5));
  const double spent = monotonic_seconds() - start;
  EXPECT_LT(latency.value, 0.1);
  EXPECT_GT(latency.value, 1e-9);
  EXPECT_LT(spent, 2 * 0.5 + 1.0);  // the scheduler's share of a loaded machine
}

TEST(Fingerprint, PartnerWithoutCpuTimeDoesNotHoldUs) {
  const auto cpus = own_cpus();
  ASSERT_GE(cpus.size(), 2U) << "needs two CPUs";
  const Load load(8 * cpus.size());
  const double start = monotonic_seconds();
  static_cast<void>(cache_line_latency(cpus.front(), cpus.back(), Seconds(0.001)));
  EXPECT_LT(monotonic_seconds() - start, 2.0);
}

TEST(Fingerprint, PartnerThatNeverAnswersIsGivenUp) {
  for (const auto partner : {CacheLineTable::Partner::starting, CacheLineTable::Partner::ready}) {
    CacheLineTable table;
    table.partner = partner;
    const double start = monotonic_seconds();
    EXPECT_TRUE(std::isnan(play_ball(table, Seconds(0.02)).value));
    const double spent = monotonic_seconds() - start;
    EXPECT_GE(spent, 0.04);
    EXPECT_LT(spent, 1.0);
  }
}

TEST(ClockCost, IsPlausible) {
  const auto cost = clock_cost();
  EXPECT_GT(cost.value, 1e-9);
  EXPECT_LT(cost.value, 1e-4);
}

}  // namespace
}  // namespace assay
