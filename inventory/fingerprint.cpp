#include "inventory/fingerprint.hpp"

#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <thread>
#include <vector>

#include "core/clock.hpp"
#include "core/statistics.hpp"
#include "inventory/cache_line_table.hpp"

namespace assay {
namespace {

constexpr int chunk = 32;                      ///< round trips: short against a time slice, long against a clock read
constexpr std::uint64_t spins_per_look = 256;  ///< polls between looks at the clock

using CpuMask = std::array<cpu_set_t, 8>;  ///< room for 8192 CPUs

bool read_affinity(CpuMask& mask) { return sched_getaffinity(0, sizeof(mask), mask.data()) == 0; }
bool set_affinity(const CpuMask& mask) { return sched_setaffinity(0, sizeof(mask), mask.data()) == 0; }

/// False when the system refuses.
bool pin_here(int cpu) {
  CpuMask mask{};
  CPU_SET_S(static_cast<std::size_t>(cpu), sizeof(mask), mask.data());  // leaves out what does not fit
  return set_affinity(mask);
}

/// Moves the calling thread to one CPU and back.
class Visit {
 public:
  explicit Visit(int cpu) : pinned_(read_affinity(before_) && pin_here(cpu)) {}
  Visit(const Visit&) = delete;
  Visit& operator=(const Visit&) = delete;
  ~Visit() {
    if (pinned_) set_affinity(before_);
  }
  [[nodiscard]] bool pinned() const { return pinned_; }

 private:
  CpuMask before_{};
  bool pinned_;
};

/// One chunk; false when the partner did not answer in time.
bool play_chunk(CacheLineTable& table, std::uint64_t& ball, double give_up) {
  for (int trip = 0; trip < chunk; ++trip) {
    table.ball.store(ball + 1, std::memory_order_release);
    for (std::uint64_t polls = 1; table.ball.load(std::memory_order_acquire) != ball + 2; ++polls) {
      if (polls % spins_per_look == 0 && monotonic_seconds() > give_up) return false;
    }
    ball += 2;
  }
  return true;
}

/// Ends the partner on every way out.
class PartnerThread {
 public:
  PartnerThread(CacheLineTable& table, int cpu) : table_(table), thread_([&table, cpu] { sit_down(table, cpu); }) {}
  PartnerThread(const PartnerThread&) = delete;
  PartnerThread& operator=(const PartnerThread&) = delete;
  ~PartnerThread() {
    table_.stop = true;
    thread_.join();
  }

 private:
  static void sit_down(CacheLineTable& table, int cpu) {
    const bool pinned = pin_here(cpu);
    table.partner = pinned ? CacheLineTable::Partner::ready : CacheLineTable::Partner::failed;
    if (pinned) answer_ball(table);
  }

  CacheLineTable& table_;
  std::thread thread_;
};

}  // namespace

void answer_ball(CacheLineTable& table) {
  std::uint64_t expected = 1;
  for (std::uint64_t polls = 1;; ++polls) {
    if (table.ball.load(std::memory_order_acquire) == expected) {
      table.ball.store(expected + 1, std::memory_order_release);
      expected += 2;
    } else if (polls % spins_per_look == 0 && table.stop.load(std::memory_order_relaxed)) {
      return;
    }
  }
}

Seconds play_ball(CacheLineTable& table, Seconds duration) {
  using Partner = CacheLineTable::Partner;
  const double give_up = monotonic_seconds() + 2 * duration.value;
  while (table.partner == Partner::starting && monotonic_seconds() < give_up) std::this_thread::yield();
  std::vector<double> one_way;
  std::uint64_t ball = 0;
  double before = monotonic_seconds();
  const double enough = std::min(before + duration.value, give_up);
  while (table.partner == Partner::ready && before < enough && play_chunk(table, ball, give_up)) {
    const double after = monotonic_seconds();
    one_way.push_back((after - before) / (2.0 * chunk));
    before = after;
  }
  return Seconds(median(one_way));
}

Seconds cache_line_latency(int first_cpu, int second_cpu, Seconds duration) {
  const Seconds unknown(std::numeric_limits<double>::quiet_NaN());
  if (first_cpu == second_cpu || first_cpu < 0 || second_cpu < 0) return unknown;
  CacheLineTable table;
  const PartnerThread partner(table, second_cpu);
  const Visit here(first_cpu);
  if (!here.pinned()) return unknown;
  return play_ball(table, duration);
}

Seconds clock_cost() {
  constexpr int batches = 25;
  constexpr int reads = 1000;
  std::vector<double> costs;
  for (int batch = 0; batch < batches; ++batch) {
    const double start = monotonic_seconds();
    double last = start;
    for (int read = 0; read < reads; ++read) last = monotonic_seconds();
    costs.push_back((last - start) / reads);
  }
  return Seconds(median(costs));
}

}  // namespace assay
