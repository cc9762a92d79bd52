// Clocks, power, temperature and how busy a card is.
#include <algorithm>
#include <cmath>

#include "tests/emulator/nvml/handles.hpp"

namespace {

using namespace emulator;        // NOLINT: every name here is of the emulator
using namespace emulator::nvml;  // NOLINT

enum Clock : Unsigned { graphics, sm, memory, video };
/// Lowest power limit that a board accepts; 200 of 700 W on an H100.
constexpr double least_limit_share = 0.286;

Unsigned milliwatts(double watts) { return static_cast<Unsigned>(std::lround(watts * 1000)); }
Unsigned rounded(double value) { return static_cast<Unsigned>(std::lround(value)); }

template <class Value>
int with_state(void* device, Value* to, Value (*which)(const Gpu&, const GpuState&)) {
  return on_card(
      device,
      [&](const Gpu& gpu) {
        *to = which(gpu, live_state(gpu));
        return success;
      },
      to);
}

int clock_now(const Gpu& gpu, Unsigned kind, Unsigned* mhz) {
  if (kind > video) return invalid_argument;
  const auto state = live_state(gpu);
  *mhz = rounded(kind == memory ? state.memory_mhz : state.sm_mhz);
  return success;
}

int clock_top(const Gpu& gpu, Unsigned kind, Unsigned* mhz) {
  if (kind > video) return invalid_argument;
  *mhz = rounded(kind == memory ? gpu.product->memory_mhz : gpu.product->max_sm_mhz);
  return success;
}

int clock_of(void* device, Unsigned kind, Unsigned* mhz, int (*which)(const Gpu&, Unsigned, Unsigned*)) {
  return on_card(
      device, [&](const Gpu& gpu) { return which(gpu, kind, mhz); }, mhz);
}

Wide reasons(const Gpu&, const GpuState& state) { return state.clock_event_reasons; }

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int nvmlDeviceGetClockInfo(void* device, Unsigned kind, Unsigned* mhz) {
  return clock_of(device, kind, mhz, clock_now);
}
int nvmlDeviceGetMaxClockInfo(void* device, Unsigned kind, Unsigned* mhz) {
  return clock_of(device, kind, mhz, clock_top);
}
int nvmlDeviceGetApplicationsClock(void* device, Unsigned kind, Unsigned* mhz) {
  return clock_of(device, kind, mhz, clock_top);
}
int nvmlDeviceGetDefaultApplicationsClock(void* device, Unsigned kind, Unsigned* mhz) {
  return clock_of(device, kind, mhz, clock_top);
}

int nvmlDeviceGetCurrentClocksEventReasons(void* device, Wide* bits) { return with_state<Wide>(device, bits, reasons); }
int nvmlDeviceGetCurrentClocksThrottleReasons(void* device, Wide* bits) {
  return with_state<Wide>(device, bits, reasons);
}
int nvmlDeviceGetSupportedClocksEventReasons(void* device, Wide* bits) {
  return with_state<Wide>(device, bits, [](const Gpu&, const GpuState&) { return Wide{0x1ff}; });
}

int nvmlDeviceGetPerformanceState(void* device, Unsigned* state) {
  return with_state<Unsigned>(
      device, state, [](const Gpu&, const GpuState& now) { return static_cast<Unsigned>(now.performance_state); });
}

int nvmlDeviceGetPowerUsage(void* device, Unsigned* power) {
  return with_state<Unsigned>(device, power,
                              [](const Gpu&, const GpuState& now) { return milliwatts(now.power_watts); });
}
int nvmlDeviceGetPowerManagementLimit(void* device, Unsigned* limit) {
  return with_state<Unsigned>(device, limit,
                              [](const Gpu&, const GpuState& now) { return milliwatts(now.power_limit_watts); });
}
int nvmlDeviceGetEnforcedPowerLimit(void* device, Unsigned* limit) {
  return nvmlDeviceGetPowerManagementLimit(device, limit);
}
int nvmlDeviceGetPowerManagementDefaultLimit(void* device, Unsigned* limit) {
  return with_state<Unsigned>(device, limit,
                              [](const Gpu& gpu, const GpuState&) { return milliwatts(gpu.product->tdp_watts); });
}
int nvmlDeviceGetPowerManagementLimitConstraints(void* device, Unsigned* least, Unsigned* most) {
  return on_card(
      device,
      [&](const Gpu& gpu) {
        *least = milliwatts(std::min(gpu.product->tdp_watts * least_limit_share, live_state(gpu).power_limit_watts));
        *most = milliwatts(gpu.product->tdp_watts);
        return success;
      },
      least, most);
}
int nvmlDeviceGetTotalEnergyConsumption(void* device, Wide* millijoules) {
  return with_state<Wide>(device, millijoules, [](const Gpu& gpu, const GpuState& now) {
    return static_cast<Wide>(now.busy_seconds * gpu.product->tdp_watts * 1000);
  });
}

int nvmlDeviceGetTemperature(void* device, Unsigned sensor, Unsigned* celsius) {
  if (sensor != 0) return invalid_argument;
  return with_state<Unsigned>(device, celsius,
                              [](const Gpu&, const GpuState& now) { return rounded(now.temperature_c); });
}
int nvmlDeviceGetTemperatureV(void* device, TemperatureV1* temperature) {
  return on_card(
      device,
      [&](const Gpu& gpu) {
        if (temperature->version != versioned(sizeof(TemperatureV1), 1)) return version_mismatch;
        if (temperature->sensor != 0) return invalid_argument;
        temperature->celsius = static_cast<int>(rounded(live_state(gpu).temperature_c));
        return success;
      },
      temperature);
}
int nvmlDeviceGetTemperatureThreshold(void* device, Unsigned, Unsigned* celsius) {
  return with_state<Unsigned>(device, celsius, [](const Gpu&, const GpuState&) { return 90U; });
}

int nvmlDeviceGetUtilizationRates(void* device, Utilization* rates) {
  return on_card(
      device,
      [&](const Gpu& gpu) {
        const auto now = live_state(gpu);
        *rates = {rounded(now.utilisation * 100), rounded(now.memory_utilisation * 100)};
        return success;
      },
      rates);
}

int nvmlDeviceGetViolationStatus(void* device, Unsigned, ViolationTime* time) {
  return on_card(
      device, [](const Gpu&) { return not_supported; }, time);
}

}  // extern "C"
#pragma GCC visibility pop
