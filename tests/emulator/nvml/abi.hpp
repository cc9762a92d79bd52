#pragma once

#include <cstddef>

namespace emulator::nvml {

/// What crosses the border of NVIDIA's management library, API version 13: structures of fixed layout, enumerations as
/// unsigned int, devices as opaque pointers.

enum Code : int {
  success = 0,
  uninitialised = 1,
  invalid_argument = 2,
  not_supported = 3,
  not_found = 6,
  insufficient_size = 7,
  gpu_is_lost = 15,
  version_mismatch = 25,
};

using Wide = unsigned long long;
using Unsigned = unsigned int;

/// Version word of a versioned structure.
constexpr Unsigned versioned(std::size_t bytes, Unsigned version) {
  return static_cast<Unsigned>(bytes) | version << 24U;
}

struct Memory {
  Wide total, free, used;
};
static_assert(sizeof(Memory) == 24);

struct MemoryV2 {
  Unsigned version;
  Wide total, reserved, free, used;
};
static_assert(versioned(sizeof(MemoryV2), 2) == 0x2000028);

struct PciInfo {
  char bus_id_legacy[16];
  Unsigned domain, bus, device, pci_device_id, pci_subsystem_id;
  char bus_id[32];
};
static_assert(sizeof(PciInfo) == 68 && offsetof(PciInfo, bus_id) == 36);

struct Utilization {
  Unsigned gpu, memory;  ///< percent
};
static_assert(sizeof(Utilization) == 8);

struct Process {
  Unsigned pid;
  Wide used_memory;
  Unsigned gpu_instance, compute_instance;
};
static_assert(sizeof(Process) == 24);

struct ProcessV1 {
  Unsigned pid;
  Wide used_memory;
};
static_assert(sizeof(ProcessV1) == 16);

struct FieldValue {
  Unsigned field, scope;
  long long timestamp_us, latency_us;
  Unsigned value_type;
  int result;
  union {
    double real;
    Unsigned number;
    Wide wide;
  } value;
};
static_assert(sizeof(FieldValue) == 40);

struct TemperatureV1 {
  Unsigned version, sensor;
  int celsius;
};
static_assert(sizeof(TemperatureV1) == 12);

struct FabricInfo {
  unsigned char cluster_uuid[16];
  int status;
  Unsigned clique;
  unsigned char state;
};
static_assert(sizeof(FabricInfo) == 28);

/// Versions 2 (36 bytes, without the summary) and 3.
struct FabricInfoV {
  Unsigned version;
  unsigned char cluster_uuid[16];
  int status;
  Unsigned clique;
  unsigned char state;
  Unsigned health_mask;
  unsigned char health_summary;
};
static_assert(sizeof(FabricInfoV) == 40 && offsetof(FabricInfoV, health_summary) == 36);

struct ViolationTime {
  Wide reference_us, violation_us;
};

}  // namespace emulator::nvml
