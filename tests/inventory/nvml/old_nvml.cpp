// A management library of old: only names from before they were renamed, and few of them.

#include <cstdio>
#include <cstring>

#include "inventory/nvml/abi.hpp"

using namespace assay::nvml;

extern "C" {

int nvmlInit() { return success; }
int nvmlShutdown() { return success; }
int nvmlDeviceGetCount_v2(Unsigned* count) {
  *count = 1;
  return success;
}
int nvmlDeviceGetHandleByIndex_v2(Unsigned, Handle* device) {
  *device = device;
  return success;
}
int nvmlDeviceGetName(Handle, char* text, Unsigned bytes) {
  std::snprintf(text, bytes, "Tesla V100");
  return success;
}
int nvmlDeviceGetPciInfo_v2(Handle, PciInfo* pci) {
  std::snprintf(pci->bus_id, sizeof(pci->bus_id), "0000:3B:00.0");
  return success;
}
int nvmlDeviceGetMemoryInfo(Handle, Memory* memory) {
  *memory = {Wide{16} << 30, Wide{15} << 30, Wide{1} << 30};
  return success;
}
int nvmlDeviceGetTemperature(Handle, Unsigned, Unsigned* celsius) {
  *celsius = 40;
  return success;
}
int nvmlDeviceGetCurrentClocksThrottleReasons(Handle, Wide* bits) {
  *bits = power_brake;
  return success;
}
int nvmlDeviceGetComputeRunningProcesses_v2(Handle, Unsigned* count, void* infos) {
  *count = 1;
  const ProcessStart start{77, 1024};
  std::memcpy(infos, &start, sizeof(start));
  return success;
}
int nvmlDeviceGetGpuFabricInfo(Handle, FabricInfo* info) {
  *info = {};
  info->state = 2;
  return success;
}
}
