#pragma once

#include <string>
#include <vector>

#include "inventory/nvml/abi.hpp"
#include "inventory/shared_library.hpp"

namespace assay::nvml {

/// Looks functions up and keeps the names of those that are missing.
class Loader {
 public:
  explicit Loader(const SharedLibrary& library) : library_(library) {}
  [[nodiscard]] void* find(const char* name, const char* older);
  [[nodiscard]] const std::vector<std::string>& missing() const { return missing_; }

 private:
  const SharedLibrary& library_;
  std::vector<std::string> missing_;
};

template <class Signature>
class Function;

/// One function of the library, or nothing when the library lacks it.
template <class... Arguments>
class Function<int(Arguments...)> {
 public:
  /// Names carry their version suffix: the header's macros hide it. `older`: name before it was renamed, same meaning.
  Function(Loader& from, const char* name, const char* older = nullptr)
      : name_(name), call_(reinterpret_cast<int (*)(Arguments...)>(from.find(name, older))) {}

  [[nodiscard]] const char* name() const { return name_; }
  [[nodiscard]] bool present() const { return call_ != nullptr; }
  /// function_not_found when the library lacks it.
  int operator()(Arguments... arguments) const { return call_ == nullptr ? function_not_found : call_(arguments...); }

 private:
  const char* name_;
  int (*call_)(Arguments...);
};

/// Every function that is used. Only names and types stand here; what a call means is told where it is made.
struct Table {
  template <class... Arguments>
  using Call = Function<int(Arguments...)>;
  using OfDevice = Call<Handle, Unsigned*>;
  using Text = Call<Handle, char*, Unsigned>;
  using Processes = Call<Handle, Unsigned*, void*>;

  Loader& from;
  Call<> init{from, "nvmlInit_v2", "nvmlInit"};
  Call<> shutdown{from, "nvmlShutdown"};
  Call<char*, Unsigned> driver_version{from, "nvmlSystemGetDriverVersion"};
  Call<char*, Unsigned> library_version{from, "nvmlSystemGetNVMLVersion"};
  Call<int*> cuda_version{from, "nvmlSystemGetCudaDriverVersion_v2", "nvmlSystemGetCudaDriverVersion"};
  Call<Unsigned*> count{from, "nvmlDeviceGetCount_v2"};
  Call<Unsigned, Handle*> handle{from, "nvmlDeviceGetHandleByIndex_v2"};
  Call<const char*, Handle*> handle_by_address{from, "nvmlDeviceGetHandleByPciBusId_v2"};

  Text name{from, "nvmlDeviceGetName"};
  Text uuid{from, "nvmlDeviceGetUUID"};
  Text serial{from, "nvmlDeviceGetSerial"};
  Call<Handle, PciInfo*> pci{from, "nvmlDeviceGetPciInfo_v3", "nvmlDeviceGetPciInfo_v2"};
  Call<Handle, int*, int*> capability{from, "nvmlDeviceGetCudaComputeCapability"};
  Call<Handle, MemoryV2*> memory_v2{from, "nvmlDeviceGetMemoryInfo_v2"};
  Call<Handle, Memory*> memory{from, "nvmlDeviceGetMemoryInfo"};
  Call<Handle, Utilization*> utilization{from, "nvmlDeviceGetUtilizationRates"};
  Call<Handle, Temperature*> temperature_v{from, "nvmlDeviceGetTemperatureV"};
  Call<Handle, Unsigned, Unsigned*> temperature{from, "nvmlDeviceGetTemperature"};

  Call<Handle, Unsigned, Unsigned*> clock{from, "nvmlDeviceGetClockInfo"};
  Call<Handle, Unsigned, Unsigned*> clock_max{from, "nvmlDeviceGetMaxClockInfo"};
  Call<Handle, Unsigned, Unsigned*> clock_application{from, "nvmlDeviceGetApplicationsClock"};
  Call<Handle, Wide*> event_reasons{from, "nvmlDeviceGetCurrentClocksEventReasons",
                                    "nvmlDeviceGetCurrentClocksThrottleReasons"};
  OfDevice performance_state{from, "nvmlDeviceGetPerformanceState"};

  OfDevice power{from, "nvmlDeviceGetPowerUsage"};
  OfDevice power_limit{from, "nvmlDeviceGetEnforcedPowerLimit", "nvmlDeviceGetPowerManagementLimit"};
  OfDevice power_default{from, "nvmlDeviceGetPowerManagementDefaultLimit"};
  Call<Handle, Unsigned*, Unsigned*> power_bounds{from, "nvmlDeviceGetPowerManagementLimitConstraints"};

  Call<Handle, Unsigned*, Unsigned*> ecc_mode{from, "nvmlDeviceGetEccMode"};
  Call<Handle, Unsigned, Unsigned, Wide*> ecc_errors{from, "nvmlDeviceGetTotalEccErrors"};
  Call<Handle, Unsigned*, Unsigned*, Unsigned*, Unsigned*> remapped_rows{from, "nvmlDeviceGetRemappedRows"};
  Call<Handle, Unsigned, Unsigned*, Wide*> retired_pages{from, "nvmlDeviceGetRetiredPages"};

  OfDevice pcie_generation{from, "nvmlDeviceGetCurrPcieLinkGeneration"};
  OfDevice pcie_generation_max{from, "nvmlDeviceGetMaxPcieLinkGeneration"};
  OfDevice pcie_width{from, "nvmlDeviceGetCurrPcieLinkWidth"};
  OfDevice pcie_width_max{from, "nvmlDeviceGetMaxPcieLinkWidth"};
  OfDevice pcie_replays{from, "nvmlDeviceGetPcieReplayCounter"};

  Call<Handle, Unsigned, Unsigned*> link_state{from, "nvmlDeviceGetNvLinkState"};
  Call<Handle, Unsigned, Unsigned*> link_version{from, "nvmlDeviceGetNvLinkVersion"};
  Call<Handle, Unsigned, Unsigned*> link_remote_kind{from, "nvmlDeviceGetNvLinkRemoteDeviceType"};
  Call<Handle, Unsigned, PciInfo*> link_remote{from, "nvmlDeviceGetNvLinkRemotePciInfo_v2",
                                               "nvmlDeviceGetNvLinkRemotePciInfo"};
  Call<Handle, Unsigned, Unsigned, Wide*> link_errors{from, "nvmlDeviceGetNvLinkErrorCounter"};

  Call<Handle, Unsigned*, Unsigned*> mig_mode{from, "nvmlDeviceGetMigMode"};
  OfDevice persistence{from, "nvmlDeviceGetPersistenceMode"};
  OfDevice compute_mode{from, "nvmlDeviceGetComputeMode"};
  OfDevice virtualization{from, "nvmlDeviceGetVirtualizationMode"};
  Call<Handle, FabricInfoV2*> fabric_v{from, "nvmlDeviceGetGpuFabricInfoV"};
  Call<Handle, FabricInfo*> fabric{from, "nvmlDeviceGetGpuFabricInfo"};
  Processes processes_v3{from, "nvmlDeviceGetComputeRunningProcesses_v3"};
  Processes processes_v2{from, "nvmlDeviceGetComputeRunningProcesses_v2"};
  Processes processes_v1{from, "nvmlDeviceGetComputeRunningProcesses"};
};

}  // namespace assay::nvml
