#pragma once

#include <fmt/format.h>
#include <sched.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/registry.hpp"
#include "core/statistics.hpp"

namespace assay::bench {

inline std::vector<int> allowed_cpus() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  sched_getaffinity(0, sizeof(mask), &mask);
  std::vector<int> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &mask)) cpus.push_back(cpu);
  }
  return cpus;
}

/// A case on one rank with the given CPUs, and its last verification.
class CaseRunner {
 public:
  CaseRunner(const std::string& name, const std::string& point, std::vector<int> cpus, const std::string& kernel = "")
      : context_{group_, buffers_, 1, Deadline(clock_, Seconds(600)), std::move(cpus), {}, {{"blas.kernel", kernel}}},
        case_(builtin_cases().find(name)->make(context_, Point::parse(point).value())) {
    case_->begin();
  }
  [[nodiscard]] double timed() {
    const double begin = monotonic_seconds();
    case_->run();
    return monotonic_seconds() - begin;
  }
  [[nodiscard]] double value(double seconds) const { return value_of(case_->work(), seconds); }
  [[nodiscard]] Dimension dimension() const { return dimension_of(case_->work().kind); }
  [[nodiscard]] bool right() {
    case_->end();
    const Check check = case_->verify();
    return check.checked > 0 && check.wrong == 0;
  }

 private:
  MonotonicClock clock_;
  SoloGroup group_;
  BufferPool buffers_;
  Context context_;
  std::unique_ptr<Case> case_;
};

/// Runs the bare loop and the case in turns (who is first changes) and prints how the case's rate compares: ratio of
/// the medians, and the 95 % interval of the median of the pairs' ratios. Returns 0 when the ratio reaches `bar`.
inline int compare(const std::string& title, CaseRunner& ours, const std::function<double()>& bare, int pairs,
                   double bar) {
  MonotonicClock clock;
  std::vector<double> bare_seconds, our_seconds, ratios;
  for (int pair = -2; pair < pairs; ++pair) {
    double seconds[2] = {};
    for (int turn = 0; turn < 2; ++turn) {
      clock.sleep(Seconds(0.01));  // idle OpenMP threads spin for a while after their loop
      const bool our_turn = (pair + turn) % 2 == 0;
      seconds[our_turn ? 1 : 0] = our_turn ? ours.timed() : bare();
    }
    if (pair < 0) continue;  // warm-up
    bare_seconds.push_back(seconds[0]);
    our_seconds.push_back(seconds[1]);
    ratios.push_back(seconds[0] / seconds[1]);
  }
  const double ratio = median(bare_seconds) / median(our_seconds);
  const Interval interval = median_interval(ratios);
  fmt::print("{}: bare {}, case {}, ratio {:.4f} (pairs: median {:.4f}, {:.0f} % interval {:.4f}..{:.4f}, n {}), {}\n",
             title, format_quantity(ours.value(median(bare_seconds)), ours.dimension()),
             format_quantity(ours.value(median(our_seconds)), ours.dimension()), ratio, median(ratios),
             100 * interval.confidence, interval.low, interval.high, pairs, ours.right() ? "data right" : "DATA WRONG");
  return ratio >= bar ? 0 : 1;
}

}  // namespace assay::bench
