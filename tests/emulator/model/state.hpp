#pragma once

#include <cstdint>

#include "tests/emulator/model/cluster.hpp"

namespace emulator {

/// What a card is busy with.
struct Load {
  enum class Kind { idle, compute, memory, copy };
  Kind kind = Kind::idle;
  Type type = Type::fp32;  ///< Of compute only.
};

/// Bits of NVML's clocks event reasons.
namespace reason {
inline constexpr std::uint64_t idle = 0x1, application_clocks = 0x2, power_cap = 0x4, hardware_slowdown = 0x8,
                               software_thermal = 0x20, hardware_thermal = 0x40;
}

/// What a card's sensors say.
struct GpuState {
  Load load;
  double sm_mhz = 0, memory_mhz = 0;
  double power_watts = 0, power_limit_watts = 0;
  double temperature_c = 0;
  double utilisation = 0;         ///< Share of time busy, 0 to 1.
  double memory_utilisation = 0;  ///< Of the memory interface.
  std::uint64_t clock_event_reasons = 0;
  int performance_state = 0;  ///< 0 = P0
  int pcie_gen = 0, pcie_width = 0;
  std::uint64_t ecc_corrected = 0, ecc_uncorrected = 0;
  double busy_seconds = 0;  ///< Virtual, since the job's start.
  bool lost = false;        ///< The card has fallen off the bus.
};

/// State under a load that has lasted: no clock, no shared memory, just the model.
GpuState state_under(const Gpu& gpu, Load load, double busy_seconds);

/// State now, of what all processes of the job did on the card. A card that was busy within the last 0.4 s of wall time
/// reads as loaded: operations take no wall time here, and telemetry comes by only a few times a second.
GpuState live_state(const Gpu& gpu);

/// Counts virtual busy time of a card.
void account(const Gpu& gpu, Load load, double busy_virtual_seconds);
/// Counts one operation of the card (kernel, copy, GEMM, collective) and returns how many there were before, in all
/// processes of the job.
std::uint64_t count_operation(const Gpu& gpu);
/// The card is lost: by its fault, once its operations have come that far.
bool lost(const Gpu& gpu);

/// Memory of the card that processes of the job hold [B]; what NVML shows as used, besides foreign and reserved memory.
void account_memory(const Gpu& gpu, std::int64_t bytes_more);
std::uint64_t memory_held(const Gpu& gpu);

/// Time [s] of this many operations at the clock that the card holds under such a load; without launch costs.
/// Infinity when the product does not support the type.
double compute_seconds(const Gpu& gpu, const GpuState& state, Type type, double operations);
/// Time [s] to move so many bytes, read and written ones counted alike, to or from the card's memory.
double memory_seconds(const Gpu& gpu, const GpuState& state, double bytes);
/// Time [s] of one dependent load that finds its line in a working set of this many bytes.
double chase_seconds(const Gpu& gpu, const GpuState& state, double working_set_bytes);

}  // namespace emulator
