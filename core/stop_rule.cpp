#include "core/stop_rule.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/statistics.hpp"

namespace assay {
namespace {

constexpr double confidence = 0.95;

double sum(std::span<const double> seconds) { return std::accumulate(seconds.begin(), seconds.end(), 0.0); }

bool precise_enough(std::span<const double> seconds, double target_relative_width) {
  const Interval interval = median_interval(seconds, confidence);
  return interval.confidence >= confidence &&
         (interval.high - interval.low) / 2 <= target_relative_width * median(seconds);
}

}  // namespace

std::string_view to_string(StopReason reason) {
  switch (reason) {
    case StopReason::go_on:
      return "go_on";
    case StopReason::precise:
      return "precise";
    case StopReason::time_spent:
      return "time_spent";
    case StopReason::count_reached:
      return "count_reached";
  }
  return "unknown";
}

StopReason StopRule::decide(std::span<const double> group_seconds, Seconds spent) const {
  if (group_seconds.size() >= maximum_count) return StopReason::count_reached;
  const double measured = by_wall ? spent.value : sum(group_seconds);
  if (measured < minimum_time.value) return StopReason::go_on;
  // fmax: a NaN among the samples leaves the wall time to end the series.
  if (std::fmax(measured, spent.value) >= maximum_time.value) return StopReason::time_spent;
  if (group_seconds.size() < minimum_count) return StopReason::go_on;
  return precise_enough(group_seconds, target_relative_width) ? StopReason::precise : StopReason::go_on;
}

std::uint64_t StopRule::next_batch(std::span<const double> group_seconds, Seconds spent) const {
  const std::uint64_t done = group_seconds.size();
  if (done == 0 || done >= maximum_count) return 1;
  const double measured = by_wall ? spent.value : sum(group_seconds);
  const double used = std::fmax(measured, spent.value);
  const double count = static_cast<double>(done);
  // Iterations until the series may end by time: the measured minimum is reached, and one of both clocks is at the
  // maximum.
  const double fitting =
      std::fmax(count * (minimum_time.value - measured) / measured, count * (maximum_time.value - used) / used);
  const std::uint64_t most = std::min(done, maximum_count - done);
  if (!(fitting < static_cast<double>(most))) return most;
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::ceil(fitting)));
}

}  // namespace assay
