#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/gpu_members.hpp"
#include "core/statistics.hpp"

namespace assay {
namespace {

constexpr double not_known = std::numeric_limits<double>::quiet_NaN();
constexpr int reason_bits = 16;
/// Bits of the clock event reasons, as NVML numbers them.
constexpr int idle_bit = 0;
constexpr int power_cap_bit = 2;
constexpr std::array<std::pair<int, const char*>, 4> slowdowns = {{{3, "hardware slowdown"},
                                                                   {5, "thermal slowdown (software)"},
                                                                   {6, "thermal slowdown (hardware)"},
                                                                   {7, "power brake (the power supply asked for it)"}}};
/// A brief touch of a limit is no state; fewer readings say nothing either way.
constexpr double least_share = 0.02;
constexpr double least_hits = 2;
/// A clock this far below what the card is sold with, without its power limit as reason, is a locked one.
constexpr double least_clock_share = 0.85;
/// The enforced limit is reported in whole watts or close to that.
constexpr double least_power_share = 0.98;
/// This near to its limit a card runs into it, also where it does not report reasons.
constexpr double near_limit = 0.93;

using Windows = std::vector<std::pair<double, double>>;

/// Start and end of every series of these sets that the rank took part in, by ascending start.
Windows windows_of(const std::vector<const SeriesSet*>& sets, int rank) {
  Windows windows;
  for (const SeriesSet* set : sets) {
    if (!std::binary_search(set->members.begin(), set->members.end(), rank)) continue;
    for (const results::SeriesRow* row : set->rows) windows.emplace_back(row->start_time, row->end_time);
  }
  std::sort(windows.begin(), windows.end());
  return windows;
}

/// A rank takes part in one series at a time, so the last one begun by then is the only candidate.
bool inside(const Windows& windows, double time) {
  const auto after = std::upper_bound(windows.begin(), windows.end(), time,
                                      [](double t, const auto& window) { return t < window.first; });
  return after != windows.begin() && time <= std::prev(after)->second;
}

bool has_bit(double reasons, int bit) {
  return reasons >= 0 && reasons < 1e18 && ((static_cast<std::uint64_t>(reasons) >> bit) & 1) != 0;
}

double seconds_of_work(const std::vector<const SeriesSet*>& sets, int rank) {
  double seconds = 0;
  for (const SeriesSet* set : sets) {
    if (!std::binary_search(set->members.begin(), set->members.end(), rank)) continue;
    for (const results::SeriesRow* row : set->rows) seconds += row->measured_seconds + row->warmup_seconds;
  }
  return seconds;
}

void add_if_known(std::vector<double>& values, double value) {
  if (!std::isnan(value)) values.push_back(value);
}

/// The clock that the card holds when nothing limits it.
double nominal_clock(const Catalogue& catalogue, const results::GpuRow& gpu) {
  const Product* product = catalogue.find(gpu.name);
  const double sold = product == nullptr ? not_known : std::min(product->boost_hz, product->tensor_boost_hz);
  if (!(gpu.sm_clock_max_hz > 0)) return sold;
  return std::isnan(sold) ? gpu.sm_clock_max_hz : std::min(sold, gpu.sm_clock_max_hz);
}

bool power_limited(const GpuLoad& load, const results::GpuRow& gpu) {
  const auto bit = static_cast<std::size_t>(power_cap_bit);
  if (!load.reason_share.empty() && load.reason_share[bit] >= 0.25) return true;
  return load.power >= near_limit * gpu.power_limit_watts;
}

std::string clock_finding(const GpuLoad& load, const results::GpuRow& gpu, double nominal) {
  if (!(load.sm_clock < least_clock_share * nominal) || power_limited(load, gpu)) return "";
  std::string text =
      fmt::format("SM clock {:.0f} MHz under load, {:.0f} MHz is nominal", load.sm_clock / 1e6, nominal / 1e6);
  if (load.power > 0 && gpu.power_limit_watts > 0) {
    text += fmt::format(", at {:.0f} W of {:.0f} W: clocks are locked", load.power, gpu.power_limit_watts);
  }
  return text;
}

}  // namespace

GpuLoad load_of(const RunData& run, const results::GpuRow& gpu, const std::vector<const SeriesSet*>& sets) {
  GpuLoad load;
  load.seconds = seconds_of_work(sets, gpu.rank);
  std::vector<double> clocks;
  std::vector<double> powers;
  std::vector<double> temperatures;
  std::vector<double> hits(reason_bits, 0);
  int with_reasons = 0;
  const Windows windows = windows_of(sets, gpu.rank);
  static const std::vector<GpuMoment> none;
  const auto at = run.gpu_moments.find({gpu.node, gpu.gpu});
  for (const GpuMoment& moment : at == run.gpu_moments.end() ? none : at->second) {
    if (!inside(windows, moment.time) || has_bit(moment.clock_event_reasons, idle_bit)) continue;
    ++load.moments;
    add_if_known(clocks, moment.sm_clock);
    add_if_known(powers, moment.power);
    add_if_known(temperatures, moment.temperature);
    if (std::isnan(moment.clock_event_reasons)) continue;
    ++with_reasons;
    for (int bit = 0; bit < reason_bits; ++bit)
      hits[static_cast<std::size_t>(bit)] += has_bit(moment.clock_event_reasons, bit) ? 1 : 0;
  }
  load.sm_clock = quantile(clocks, 0.75);
  load.power = median(powers);
  load.temperature = quantile(temperatures, 1);
  for (double& hit : hits) hit /= std::max(1, with_reasons);
  if (with_reasons > 0) load.reason_share = hits;
  return load;
}

std::vector<std::string> held_back(const RunData& run, const Catalogue& catalogue, const results::GpuRow& gpu,
                                   const std::vector<const SeriesSet*>& sets) {
  std::vector<std::string> ways;
  if (gpu.power_limit_watts < least_power_share * gpu.power_limit_default_watts) {
    ways.push_back(fmt::format("power limit {:.0f} W, {:.0f} W as delivered", gpu.power_limit_watts,
                               gpu.power_limit_default_watts));
  }
  const GpuLoad load = load_of(run, gpu, sets);
  bool slowed = false;
  for (const auto& [bit, name] : slowdowns) {
    if (load.reason_share.empty()) break;
    const double share = load.reason_share[static_cast<std::size_t>(bit)];
    if (share < least_share || share * load.moments < least_hits) continue;
    slowed = true;
    ways.push_back(fmt::format("{} in {:.0f} % of the readings under load, SM clock {:.0f} MHz, up to {:.0f} degC",
                               name, 100 * share, load.sm_clock / 1e6, load.temperature));
  }
  const std::string clock = clock_finding(load, gpu, nominal_clock(catalogue, gpu));
  if (!slowed && !clock.empty()) ways.push_back(clock);
  return ways;
}

}  // namespace assay
