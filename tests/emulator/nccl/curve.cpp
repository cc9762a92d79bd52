#include "tests/emulator/nccl/curve.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

namespace emulator::nccl {
namespace {

struct Point {
  double bytes, bus_rate;  // [B], [B/s]
};

constexpr double kib = 1024, mib = 1024 * kib, gib = 1024 * mib;
constexpr double bus_factor = 2.0 * 7 / 8;  // of an all-reduce over 8 ranks
// The first two are the latency that the same source gives, as a rate: 35.0 us at 8 B to 35.6 us at 16 KiB.
constexpr std::array<Point, 18> table{{{kib, bus_factor* kib / 35.0e-6},
                                       {16 * kib, bus_factor * 16 * kib / 35.6e-6},
                                       {64 * kib, 3.10e9},
                                       {256 * kib, 9.90e9},
                                       {1 * mib, 24.6e9},
                                       {2 * mib, 39.0e9},
                                       {4 * mib, 66.9e9},
                                       {8 * mib, 92.3e9},
                                       {16 * mib, 120.4e9},
                                       {32 * mib, 156.3e9},
                                       {64 * mib, 202.2e9},
                                       {128 * mib, 203.7e9},
                                       {256 * mib, 223.9e9},
                                       {512 * mib, 225.7e9},
                                       {1 * gib, 231.4e9},
                                       {2 * gib, 232.9e9},
                                       {4 * gib, 235.1e9},
                                       {8 * gib, 235.7e9}}};

double x_of(const Point& point) { return point.bytes * bus_factor / reference_bus_rate / reference_latency; }
double y_of(const Point& point) { return point.bus_rate / reference_bus_rate; }

}  // namespace

double efficiency(double x) {
  if (x <= x_of(table.front())) return x;
  if (x >= x_of(table.back())) return 1;
  const auto after = std::ranges::upper_bound(table, x, {}, x_of);
  const auto before = std::prev(after);
  const double part = std::log(x / x_of(*before)) / std::log(x_of(*after) / x_of(*before));
  return std::min({x, 1.0, y_of(*before) * std::pow(y_of(*after) / y_of(*before), part)});
}

double curve_seconds(double latency, double seconds_per_byte, double bytes) {
  const double transfer = bytes * seconds_per_byte;
  if (transfer <= 0) return latency;
  return latency > 0 ? transfer / efficiency(transfer / latency) : transfer;
}

}  // namespace emulator::nccl
