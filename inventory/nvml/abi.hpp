#pragma once

#include <cstddef>
#include <cstdint>

namespace assay::nvml {

/// What crosses the border to NVIDIA's management library (NVML), declared by ourselves since its header is not needed
/// to build. Enumerations travel as unsigned int; structures are those of its API version 13.

using Handle = void*;  ///< a device
using Unsigned = unsigned int;
using Wide = unsigned long long;

enum Code : int {
  success = 0,
  uninitialised = 1,
  invalid_argument = 2,
  not_supported = 3,
  no_permission = 4,
  not_found = 6,
  insufficient_size = 7,
  driver_not_loaded = 9,
  function_not_found = 13,
  gpu_is_lost = 15,
  reset_required = 16,
  version_mismatch = 18,
  argument_version_mismatch = 25,
};

enum ClockKind : Unsigned { sm_clock = 1, memory_clock = 2 };
enum EccKind : Unsigned { corrected_errors = 0, uncorrected_errors = 1 };
enum EccSpan : Unsigned { since_load = 0, lifetime = 1 };
enum LinkCounter : Unsigned { link_replays = 0, link_recoveries = 1, link_crc_flit = 2, link_crc_data = 3 };

/// Bits of clocks' event reasons.
enum EventReason : Wide {
  gpu_idle = 0x1,
  application_clocks = 0x2,
  software_power_cap = 0x4,
  hardware_slowdown = 0x8,
  sync_boost = 0x10,
  software_thermal = 0x20,
  hardware_thermal = 0x40,
  power_brake = 0x80,
};

constexpr Unsigned versioned(std::size_t bytes, Unsigned version) {
  return static_cast<Unsigned>(bytes) | (version << 24U);
}

struct Memory {
  Wide total, free, used;
};
static_assert(sizeof(Memory) == 24);

struct MemoryV2 {
  static constexpr Unsigned tag = 0x2000028;
  Unsigned version = tag;
  Wide total = 0, reserved = 0, free = 0, used = 0;
};
static_assert(MemoryV2::tag == versioned(sizeof(MemoryV2), 2));

struct PciInfo {
  char old_bus_id[16];
  Unsigned domain, bus, device, device_id, subsystem_id;
  char bus_id[32];
};
static_assert(sizeof(PciInfo) == 68 && offsetof(PciInfo, bus_id) == 36);

struct Utilization {
  Unsigned gpu, memory;  ///< percent
};

struct Temperature {
  Unsigned version;
  Unsigned sensor;
  int celsius;
};
static_assert(sizeof(Temperature) == 12);

/// Version 1 has no version field.
struct FabricInfo {
  unsigned char cluster[16];
  int status;
  Unsigned clique;
  unsigned char state;
};
static_assert(sizeof(FabricInfo) == 28);

struct FabricInfoV2 {
  Unsigned version;
  unsigned char cluster[16];
  int status;
  Unsigned clique;
  unsigned char state;
  Unsigned health;
};
static_assert(sizeof(FabricInfoV2) == 36);

/// The first words of every version of the structure about a process; drivers differ in what follows.
struct ProcessStart {
  Unsigned pid;
  Wide used_memory;
};
constexpr std::size_t process_bytes = 24;        ///< versions 2 and 3
constexpr std::size_t process_bytes_large = 32;  ///< version 3 of drivers 535.43 to 535.86
static_assert(sizeof(ProcessStart) == 16);       ///< version 1 is no more than this
constexpr Wide not_available = ~Wide{0};

constexpr Unsigned driver_version_bytes = 80;
constexpr Unsigned name_bytes = 96;
constexpr Unsigned serial_bytes = 30;
constexpr Unsigned most_links = 36;

}  // namespace assay::nvml
