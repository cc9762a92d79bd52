#include "launcher/run/telemetry_rules.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

namespace assay {

namespace {

constexpr std::uint64_t idle = 0x1;
constexpr std::uint64_t power_cap = 0x4;
// Marks are read beside the window, not in it.
constexpr double slack_seconds = 0.02;
// How long a clock must hold to count, and by how much it may move.
constexpr double shortest_hold_seconds = 0.15;
constexpr double most_moved = 0.05;

using Steps = std::vector<std::pair<double, double>>;  // time, value that holds from then on

Steps steps_of(const std::vector<results::TelemetryRow>& rows, GpuPlace gpu, const std::string& metric,
               TelemetryWindow window) {
  Steps steps;
  for (const auto& row : rows) {
    const bool ours = row.node == gpu.node && row.device == gpu.gpu && row.metric == metric;
    if (ours && row.time >= window.start - slack_seconds && row.time <= window.end + slack_seconds)
      steps.emplace_back(row.time, row.value);
  }
  std::sort(steps.begin(), steps.end());
  return steps;
}

double value_at(const Steps& steps, double time) {
  double value = std::nan("");
  for (const auto& [since, one] : steps)
    if (since <= time) value = one;
  return value;
}

/// Whether a card works at that moment without being held at its power limit.
bool works_freely(const Steps& reasons, const Steps& utilization, double time) {
  const double bits = value_at(reasons, time);
  if (std::isnan(bits) || (static_cast<std::uint64_t>(bits) & (idle | power_cap)) != 0) return false;
  const double share = value_at(utilization, time);
  return std::isnan(share) || share >= 0.5;
}

bool clock_moved(const Steps& clock, const Steps& reasons, const Steps& utilization, double end) {
  std::map<double, double> held;  // clock -> seconds
  for (std::size_t i = 0; i < clock.size(); ++i) {
    const double until = i + 1 < clock.size() ? clock[i + 1].first : end;
    // The reasons are read right after the clock.
    if (works_freely(reasons, utilization, clock[i].first + slack_seconds))
      held[clock[i].second] += until - clock[i].first;
  }
  std::erase_if(held, [](const auto& one) { return one.second < shortest_hold_seconds; });
  if (held.size() < 2) return false;
  return held.rbegin()->first - held.begin()->first > most_moved * held.rbegin()->first;
}

}  // namespace

std::uint32_t flags_of_gpu(const std::vector<results::TelemetryRow>& rows, GpuPlace gpu, TelemetryWindow window) {
  std::uint32_t flags = 0;
  const Steps reasons = steps_of(rows, gpu, "gpu.clock_event_reasons", window);
  for (const auto& [time, bits] : reasons)
    if ((static_cast<std::uint64_t>(bits) & throttle_reasons) != 0) flags |= results::flag_throttled;
  if (clock_moved(steps_of(rows, gpu, "gpu.sm_clock", window), reasons, steps_of(rows, gpu, "gpu.utilization", window),
                  window.end))
    flags |= results::flag_clock_changed;
  return flags;
}

std::uint32_t flags_of_gpus(const std::vector<results::TelemetryRow>& rows, const std::vector<GpuPlace>& gpus,
                            TelemetryWindow window) {
  std::uint32_t flags = 0;
  for (const GpuPlace& gpu : gpus) flags |= flags_of_gpu(rows, gpu, window);
  return flags;
}

}  // namespace assay
