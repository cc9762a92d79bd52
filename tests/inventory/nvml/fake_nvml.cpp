// A management library for tests. Three GPUs: the first is well, the second refuses what needs privileges and lacks
// what cards lack, the third is lost. FAKE_NVML changes single answers; see the tests.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "inventory/nvml/abi.hpp"

using namespace assay::nvml;

namespace {

constexpr Unsigned gpus = 3;
constexpr Unsigned links = 4;

bool asked_for(std::string_view word) {
  const char* words = std::getenv("FAKE_NVML");
  return words != nullptr && std::string_view(words).find(word) != std::string_view::npos;
}

Handle handle_of(std::uintptr_t index) { return reinterpret_cast<Handle>(index + 1); }
std::uintptr_t index_of(Handle device) { return reinterpret_cast<std::uintptr_t>(device) - 1; }

int state(Handle device) {
  if (index_of(device) == 0 && asked_for("lose_first")) return gpu_is_lost;
  return index_of(device) < 2 ? success : gpu_is_lost;
}

/// What a card may lack.
int optional(Handle device) { return index_of(device) == 1 ? not_supported : state(device); }
int privileged(Handle device) { return index_of(device) == 1 ? no_permission : state(device); }

template <class Value>
int give(int code, Value* target, Value value) {
  if (code == success) *target = value;
  return code;
}

int write_text(int code, char* text, Unsigned bytes, const char* value) {
  if (code == success) std::snprintf(text, bytes, "%s", value);
  return code;
}

/// What a driver writes: `stride` bytes for each process.
int write_processes(Unsigned* count, void* infos, std::size_t stride) {
  if (*count < 2) return insufficient_size;
  *count = 2;
  auto* bytes = static_cast<unsigned char*>(infos);
  for (Unsigned i = 0; i < 2; ++i) {
    std::memset(bytes + i * stride, 0, stride);
    const ProcessStart start{100 + i, i == 0 ? Wide{1} << 30 : not_available};
    std::memcpy(bytes + i * stride, &start, sizeof(start));
  }
  return success;
}

}  // namespace

extern "C" {

int nvmlInit_v2() { return asked_for("no_driver") ? driver_not_loaded : success; }
int nvmlShutdown() { return success; }
const char* nvmlErrorString(int code) { return code == 999 ? "Unknown Error" : "Some Error"; }
int nvmlSystemGetDriverVersion(char* text, Unsigned bytes) { return write_text(success, text, bytes, "580.65.06"); }
int nvmlSystemGetNVMLVersion(char* text, Unsigned bytes) { return write_text(success, text, bytes, "13.580.65.06"); }
int nvmlSystemGetCudaDriverVersion_v2(int* version) { return give(success, version, 13000); }
int nvmlDeviceGetCount_v2(Unsigned* count) { return give(success, count, gpus); }
int nvmlDeviceGetHandleByIndex_v2(Unsigned index, Handle* device) {
  return give(index < 2 ? success : gpu_is_lost, device, handle_of(index));
}
int nvmlDeviceGetHandleByPciBusId_v2(const char* address, Handle* device) {
  if (std::string_view(address) == "0000:5e:00.0") return gpu_is_lost;
  if (std::string_view(address) == "0000:1b:00.0") return give(success, device, handle_of(0));
  return not_found;
}

int nvmlDeviceGetName(Handle device, char* text, Unsigned bytes) {
  return write_text(state(device), text, bytes, "NVIDIA H100 80GB HBM3");
}
int nvmlDeviceGetUUID(Handle device, char* text, Unsigned bytes) {
  return write_text(state(device), text, bytes, index_of(device) == 0 ? "GPU-0" : "GPU-1");
}
int nvmlDeviceGetSerial(Handle device, char* text, Unsigned bytes) {
  return write_text(optional(device), text, bytes, "1650123456789");
}
// The second card stands before the first on the bus.
int nvmlDeviceGetPciInfo_v3(Handle device, PciInfo* pci) {
  std::snprintf(pci->bus_id, sizeof(pci->bus_id), "%s",
                index_of(device) == 0 ? "00000000:1B:00.0" : "00000000:0A:00.0");
  return state(device);
}
int nvmlDeviceGetCudaComputeCapability(Handle device, int* major, int* minor) {
  *minor = 0;
  return give(state(device), major, 9);
}
int nvmlDeviceGetMemoryInfo_v2(Handle device, MemoryV2* memory) {
  if (memory->version != MemoryV2::tag) return argument_version_mismatch;
  memory->total = Wide{80} << 30;
  memory->used = Wide{1} << 30;
  return state(device);
}
int nvmlDeviceGetUtilizationRates(Handle device, Utilization* share) {
  return give(state(device), share, Utilization{25, 10});
}
int nvmlDeviceGetTemperatureV(Handle device, Temperature* query) {
  if (query->version != versioned(12, 1)) return argument_version_mismatch;
  query->celsius = 31;
  return state(device);
}
int nvmlDeviceGetClockInfo(Handle device, Unsigned kind, Unsigned* clock) {
  return give(state(device), clock, kind == sm_clock ? 345U : 2619U);
}
int nvmlDeviceGetMaxClockInfo(Handle device, Unsigned kind, Unsigned* clock) {
  return give(state(device), clock, kind == sm_clock ? 1980U : 2619U);
}
int nvmlDeviceGetApplicationsClock(Handle device, Unsigned kind, Unsigned* clock) {
  return give(optional(device), clock, kind == sm_clock ? 1980U : 2619U);
}
int nvmlDeviceGetCurrentClocksEventReasons(Handle device, Wide* bits) { return give(state(device), bits, Wide{1}); }
int nvmlDeviceGetPerformanceState(Handle device, Unsigned* number) { return give(state(device), number, 0U); }
int nvmlDeviceGetPowerUsage(Handle device, Unsigned* power) { return give(state(device), power, 71'500U); }
int nvmlDeviceGetEnforcedPowerLimit(Handle device, Unsigned* power) { return give(state(device), power, 700'000U); }
int nvmlDeviceGetPowerManagementDefaultLimit(Handle device, Unsigned* power) {
  return give(state(device), power, 700'000U);
}
int nvmlDeviceGetPowerManagementLimitConstraints(Handle device, Unsigned* least, Unsigned* most) {
  *least = 200'000;
  return give(state(device), most, 700'000U);
}
int nvmlDeviceGetEccMode(Handle device, Unsigned* now, Unsigned* pending) {
  *pending = 1;
  return give(state(device), now, 1U);
}
int nvmlDeviceGetTotalEccErrors(Handle device, Unsigned kind, Unsigned span, Wide* count) {
  return give(privileged(device), count, Wide{10} * kind + span);
}
int nvmlDeviceGetRemappedRows(Handle device, Unsigned* corrected, Unsigned* uncorrected, Unsigned* pending,
                              Unsigned* failed) {
  *corrected = 1;
  *uncorrected = 2;
  *pending = 1;
  return give(optional(device), failed, 0U);
}
int nvmlDeviceGetRetiredPages(Handle device, Unsigned cause, Unsigned* count, Wide*) {
  if (index_of(device) == 1) return not_supported;
  *count = cause + 1;
  return cause == 0 ? success : insufficient_size;
}
int nvmlDeviceGetCurrPcieLinkGeneration(Handle device, Unsigned* value) { return give(state(device), value, 1U); }
int nvmlDeviceGetMaxPcieLinkGeneration(Handle device, Unsigned* value) { return give(state(device), value, 5U); }
int nvmlDeviceGetCurrPcieLinkWidth(Handle device, Unsigned* value) { return give(state(device), value, 8U); }
int nvmlDeviceGetMaxPcieLinkWidth(Handle device, Unsigned* value) { return give(state(device), value, 16U); }
int nvmlDeviceGetPcieReplayCounter(Handle device, Unsigned* value) { return give(state(device), value, 3U); }

int nvmlDeviceGetNvLinkState(Handle device, Unsigned link, Unsigned* active) {
  if (link >= links) return invalid_argument;
  return give(optional(device), active, link == 2 ? 0U : 1U);
}
int nvmlDeviceGetNvLinkVersion(Handle device, Unsigned, Unsigned* version) { return give(state(device), version, 6U); }
int nvmlDeviceGetNvLinkRemoteDeviceType(Handle device, Unsigned, Unsigned* kind) {
  return give(state(device), kind, 2U);
}
int nvmlDeviceGetNvLinkRemotePciInfo_v2(Handle device, Unsigned, PciInfo* pci) {
  std::snprintf(pci->bus_id, sizeof(pci->bus_id), "00000000:C1:00.0");
  return state(device);
}
int nvmlDeviceGetNvLinkErrorCounter(Handle device, Unsigned link, Unsigned counter, Wide* count) {
  return give(state(device), count, Wide{link == 1 ? counter + 1 : 0});
}
int nvmlDeviceGetMigMode(Handle device, Unsigned* now, Unsigned*) { return give(optional(device), now, 1U); }
int nvmlDeviceGetPersistenceMode(Handle device, Unsigned* on) { return give(state(device), on, 1U); }
int nvmlDeviceGetComputeMode(Handle device, Unsigned* mode) { return give(state(device), mode, 3U); }
int nvmlDeviceGetVirtualizationMode(Handle device, Unsigned* mode) { return give(state(device), mode, 99U); }
int nvmlDeviceGetGpuFabricInfoV(Handle device, FabricInfoV2* info) {
  if (info->version != versioned(36, 2)) return argument_version_mismatch;
  std::memset(info->cluster, 0xab, sizeof(info->cluster));
  info->clique = 7;
  info->state = 3;
  return optional(device);
}
int nvmlDeviceGetComputeRunningProcesses_v3(Handle device, Unsigned* count, void* infos) {
  const std::size_t stride = asked_for("large_process") ? process_bytes_large : process_bytes;
  return state(device) == success ? write_processes(count, infos, stride) : state(device);
}
}
