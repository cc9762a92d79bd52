#include "tests/emulator/model/state.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace emulator {
namespace {

/// Idle: clocks as nvidia-smi shows them on cards at rest, a tenth of the board power.
double idle_mhz(const Product& product) { return product.compute_major >= 9 ? 345 : 210; }
constexpr double idle_power_share = 0.11;
constexpr double idle_celsius = 32, celsius_per_load = 36, throttle_celsius = 91;

/// Power that a load would draw at the highest clock, as a share of the board's. Above 1 the card runs into its limit
/// and lowers its clock: a healthy H100 does under a large GEMM, an A100 SXM (400 W at 1410 MHz) just not. Assumptions,
/// made so that the clocks under load are those seen on cards; times do not depend on them, only ratios of clocks do.
double draw_share(const Product& product, Load load) {
  switch (load.kind) {
    case Load::Kind::idle:
      return idle_power_share;
    case Load::Kind::copy:
      return 0.28;
    case Load::Kind::memory:
      return 0.62;
    case Load::Kind::compute:
      break;
  }
  if (load.type == Type::fp64 || load.type == Type::fp32) return 0.80;
  const bool roomy = product.form == "SXM" && product.compute_major < 9;
  return roomy ? 0.97 : 1.45;
}

struct Operating {
  double mhz, watts;
  bool at_limit;
};

/// Clock that a power limit leaves: dynamic power grows with the cube of the clock (voltage rises with it).
Operating operate(const Product& product, Load load, double limit_watts) {
  const double top = product.max_sm_mhz;
  const double idle = idle_power_share * product.tdp_watts;
  const double draw = draw_share(product, load) * product.tdp_watts;
  if (draw <= limit_watts) return {top, draw, false};
  const double share = std::cbrt(std::max(0.001, limit_watts - idle) / (draw - idle));
  return {std::max(idle_mhz(product), top * share), std::max(limit_watts, idle), true};
}

double power_limit(const Gpu& gpu) {
  const auto* cap = gpu.fault(FaultKind::power_cap);
  return cap != nullptr ? std::min(cap->watts, gpu.product->tdp_watts) : gpu.product->tdp_watts;
}

/// A clock forced on the card: the load draws less, and no power limit shows.
void slow_down(const Product& product, Load load, double mhz, GpuState& state) {
  if (mhz >= state.sm_mhz) return;
  const double idle = idle_power_share * product.tdp_watts;
  const double draw = draw_share(product, load) * product.tdp_watts;
  state.sm_mhz = mhz;
  state.power_watts = idle + (draw - idle) * std::pow(mhz / product.max_sm_mhz, 3);
  state.clock_event_reasons &= ~reason::power_cap;
}

void apply_clock_faults(const Gpu& gpu, GpuState& state) {
  if (const auto* locked = gpu.fault(FaultKind::locked_clocks)) {
    slow_down(*gpu.product, state.load, locked->sm_mhz, state);
    state.power_watts = std::min(state.power_watts, locked->watts);
  }
  const auto* hot = gpu.fault(FaultKind::thermal);
  if (hot == nullptr || state.busy_seconds < hot->after_seconds) return;
  const double mhz = hot->sm_mhz > 0 ? hot->sm_mhz : 0.55 * gpu.product->max_sm_mhz;
  slow_down(*gpu.product, state.load, mhz, state);
  state.clock_event_reasons |= reason::software_thermal | reason::hardware_thermal;
  state.temperature_c = throttle_celsius;
}

void idle_state(const Gpu& gpu, GpuState& state) {
  const auto& product = *gpu.product;
  const bool stacked = product.memory_mhz < 5000;  // HBM keeps its clock, GDDR does not.
  state.sm_mhz = idle_mhz(product);
  state.memory_mhz = stacked ? product.memory_mhz : 405;
  state.power_watts = idle_power_share * product.tdp_watts;
  state.temperature_c = idle_celsius;
  state.clock_event_reasons = reason::idle;
  state.performance_state = 8;
  state.pcie_gen = 1;
}

void loaded_state(const Gpu& gpu, GpuState& state) {
  const auto at = operate(*gpu.product, state.load, state.power_limit_watts);
  state.sm_mhz = at.mhz;
  state.memory_mhz = gpu.product->memory_mhz;
  state.power_watts = at.watts;
  state.clock_event_reasons = at.at_limit ? reason::power_cap : 0;
  state.pcie_gen = gpu.pcie_gen;
  state.utilisation = 1;
  state.memory_utilisation = state.load.kind == Load::Kind::memory ? 0.95 : 0.35;
  state.temperature_c = idle_celsius + celsius_per_load * at.watts / gpu.product->tdp_watts;
  apply_clock_faults(gpu, state);
}

}  // namespace

GpuState state_under(const Gpu& gpu, Load load, double busy_seconds) {
  GpuState state;
  state.load = load;
  state.busy_seconds = busy_seconds;
  state.power_limit_watts = power_limit(gpu);
  state.pcie_width = gpu.pcie_width;
  if (load.kind == Load::Kind::idle) {
    idle_state(gpu, state);
  } else {
    loaded_state(gpu, state);
  }
  for (const auto& fault : gpu.faults) {
    if (fault.kind != FaultKind::ecc) continue;
    (fault.uncorrected ? state.ecc_uncorrected : state.ecc_corrected) += static_cast<std::uint64_t>(fault.count);
  }
  return state;
}

double compute_seconds(const Gpu& gpu, const GpuState& state, Type type, double operations) {
  const auto& product = *gpu.product;
  const double healthy = product.peak(type) * product.healthy(type);
  if (healthy <= 0) return std::numeric_limits<double>::infinity();
  // The healthy rate holds at the clock that the default power limit leaves; the rate follows the clock.
  const Load load{.kind = Load::Kind::compute, .type = type};
  const double usual = operate(product, load, product.tdp_watts).mhz;
  const double now = state_under(gpu, load, state.busy_seconds).sm_mhz;
  const double part = static_cast<double>(gpu.sm_count) / product.sm_count;
  return operations / (healthy * gpu.speed * now / usual * part);
}

double memory_seconds(const Gpu& gpu, const GpuState& state, double bytes) {
  const auto& product = *gpu.product;
  // 0.90 of the data sheet: 1371 to 1750 of 2039 (A100), 4480 of 4800 (H200), 3705 of 4000 (GH200) are public figures.
  constexpr double healthy = 0.90;
  // A slice of the card has its share of the memory. At very low clocks the SMs cannot take more: 64 B a clock each.
  const double whole = product.memory_rate * healthy;
  const double part = static_cast<double>(gpu.sm_count) / product.sm_count;
  const double now = state_under(gpu, {.kind = Load::Kind::memory}, state.busy_seconds).sm_mhz;
  return bytes / std::min(whole * part, 64.0 * gpu.sm_count * now * 1e6);
}

double chase_seconds(const Gpu& gpu, const GpuState& state, double working_set_bytes) {
  // Cycles to L1, L2 and memory as microbenchmarks of A100 and H100 report them: about 35, 220 and 480.
  constexpr double l1_bytes = 128 * 1024, l1_cycles = 35, l2_cycles = 220, memory_cycles = 480;
  const double mhz = state_under(gpu, {.kind = Load::Kind::memory}, state.busy_seconds).sm_mhz;
  const auto l2_bytes = static_cast<double>(gpu.product->l2_bytes);
  double cycles = l1_cycles;
  if (working_set_bytes > l1_bytes) cycles = l2_cycles;
  // Beyond a cache, the part of the lines that it still holds is found in it.
  if (working_set_bytes > l2_bytes) cycles = memory_cycles - (memory_cycles - l2_cycles) * l2_bytes / working_set_bytes;
  return cycles / (mhz * 1e6);
}

}  // namespace emulator
