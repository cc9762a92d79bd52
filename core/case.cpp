#include "core/case.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

namespace assay {

namespace {

template <class Enum, std::size_t N>
using Names = std::array<std::pair<Enum, std::string_view>, N>;

constexpr Names<Suite, 3> suite_names{{{Suite::quick, "quick"}, {Suite::standard, "standard"}, {Suite::full, "full"}}};
constexpr Names<WorkKind, 4> work_names{{{WorkKind::bytes, "bytes"},
                                         {WorkKind::flops, "flops"},
                                         {WorkKind::operations, "operations"},
                                         {WorkKind::latency, "latency"}}};
constexpr Names<Timing, 3> timing_names{
    {{Timing::per_rank, "per_rank"}, {Timing::shared_start, "shared_start"}, {Timing::device, "device"}}};
constexpr Names<Combine, 2> combine_names{{{Combine::slowest, "slowest"}, {Combine::concurrent, "concurrent"}}};

template <class Enum, std::size_t N>
std::string_view name_of(const Names<Enum, N>& names, Enum value) {
  for (const auto& [known, name] : names)
    if (known == value) return name;
  return "unknown";
}

template <class Enum, std::size_t N>
std::optional<Enum> value_named(const Names<Enum, N>& names, std::string_view text) {
  for (const auto& [value, name] : names)
    if (name == text) return value;
  return std::nullopt;
}

}  // namespace

void Case::device_seconds(std::span<double> out) {
  std::fill(out.begin(), out.end(), std::numeric_limits<double>::quiet_NaN());
}

std::vector<Point> points_of(const CaseInfo& info, Suite suite, const Layout& layout) {
  std::vector<std::vector<std::pair<std::string, std::string>>> points{{}};
  const std::vector<Axis> axes = info.axes(layout);
  for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
    std::vector<std::vector<std::pair<std::string, std::string>>> longer;
    for (const auto& point : points) {
      for (const AxisValue& value : axis->values) {
        if (value.from > suite) continue;
        auto extended = point;
        extended.insert(extended.begin(), {axis->name, value.value});
        longer.push_back(std::move(extended));
      }
    }
    points = std::move(longer);
  }
  return {points.begin(), points.end()};
}

std::vector<double> combine_seconds(Combine combine, std::span<const double> seconds, std::size_t ranks) {
  const std::size_t iterations = ranks == 0 ? 0 : seconds.size() / ranks;
  std::vector<double> result(iterations);
  for (std::size_t i = 0; i < iterations; ++i) {
    double slowest = seconds[i];
    double rates = 0;
    bool valid = true;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      const double own = seconds[rank * iterations + i];
      valid = valid && own == own;
      slowest = std::max(slowest, own);
      rates += 1 / own;
    }
    const double value = combine == Combine::slowest ? slowest : static_cast<double>(ranks) / rates;
    result[i] = valid ? value : std::numeric_limits<double>::quiet_NaN();
  }
  return result;
}

double value_of(const Work& work, double seconds) {
  switch (work.kind) {
    case WorkKind::latency:
      return seconds / work.amount;
    case WorkKind::bytes:
      return work.amount * work.bus_factor / seconds;
    case WorkKind::flops:
    case WorkKind::operations:
      return work.amount / seconds;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

Dimension dimension_of(WorkKind kind) {
  switch (kind) {
    case WorkKind::bytes:
      return Dimension::bytes_per_second;
    case WorkKind::flops:
      return Dimension::flops_per_second;
    case WorkKind::operations:
      return Dimension::operations_per_second;
    case WorkKind::latency:
      return Dimension::seconds;
  }
  return Dimension::ratio;
}

std::string_view to_string(Suite suite) { return name_of(suite_names, suite); }
std::string_view to_string(WorkKind kind) { return name_of(work_names, kind); }
std::string_view to_string(Timing timing) { return name_of(timing_names, timing); }
std::string_view to_string(Combine combine) { return name_of(combine_names, combine); }
std::optional<Suite> parse_suite(std::string_view text) { return value_named(suite_names, text); }
std::optional<WorkKind> parse_work_kind(std::string_view text) { return value_named(work_names, text); }
std::optional<Combine> parse_combine(std::string_view text) { return value_named(combine_names, text); }

}  // namespace assay
