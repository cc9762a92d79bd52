#pragma once

#include <cstdint>
#include <vector>

#include "results/record.hpp"

namespace assay {

/// Flags of a series, from the telemetry beside it. Thresholds: docs/results.md, "Telemetry".

/// Bits of clocks' event reasons that mean that a GPU is held back by what should not be: HW slowdown, SW thermal, HW
/// thermal, power brake. The SW power cap (0x4) is normal under load.
inline constexpr std::uint64_t throttle_reasons = 0x8 | 0x20 | 0x40 | 0x80;

struct TelemetryWindow {
  double start = 0;  ///< seconds, on the clock of the rows
  double end = 0;
};

struct GpuPlace {
  std::int32_t node = 0;
  std::int32_t gpu = 0;
  auto operator<=>(const GpuPlace&) const = default;
};

/// flag_throttled and flag_clock_changed of one GPU within a window. Rows of others are passed over; a value holds
/// until the next row of its metric.
[[nodiscard]] std::uint32_t flags_of_gpu(const std::vector<results::TelemetryRow>& rows, GpuPlace gpu,
                                         TelemetryWindow window);

/// All that the GPUs of a set say together.
[[nodiscard]] std::uint32_t flags_of_gpus(const std::vector<results::TelemetryRow>& rows,
                                          const std::vector<GpuPlace>& gpus, TelemetryWindow window);

}  // namespace assay
