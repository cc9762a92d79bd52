#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "inventory/fact.hpp"

namespace assay {

/// What one GPU is and how it was found. Clocks are Hz, powers W, sizes bytes, temperatures degrees Celsius.

/// One NVLink of a GPU.
struct NvlinkFacts {
  int link = 0;  ///< number on the GPU
  bool active = false;
  Fact<std::int64_t> version;     ///< code of the library, not a generation
  Fact<std::string> remote_kind;  ///< "gpu", "switch", "npu"
  Fact<std::string> remote;       ///< PCI address of the other end
  Fact<std::int64_t> replays;
  Fact<std::int64_t> recoveries;
  Fact<std::int64_t> crc_errors;  ///< of flits and of data
};

struct GpuProcess {
  std::int64_t pid = 0;  ///< as the driver numbers processes: outside of a container's own numbering
  Fact<std::int64_t> memory;
};

enum class GpuState {
  ok,         ///< the driver answers for it
  lost,       ///< the driver knows it, but it does not answer any more
  no_driver,  ///< on the PCI bus, not bound to the NVIDIA driver
  hidden,     ///< bound to the driver, but the driver's library does not show it here
};
[[nodiscard]] std::string_view to_string(GpuState state);

struct GpuClocks {
  Fact<double> sm;
  Fact<double> sm_max;
  Fact<double> sm_application;
  Fact<double> memory;
  Fact<double> memory_max;
  Fact<double> memory_application;
  Fact<std::int64_t> event_reasons;  ///< why clocks are not at their highest; bits of docs/results.md
  Fact<std::int64_t> performance_state;
};

struct GpuPower {
  Fact<double> usage;
  Fact<double> limit;  ///< in force
  Fact<double> limit_default;
  Fact<double> limit_min;
  Fact<double> limit_max;
};

/// Counters of memory errors. "Volatile" since the driver was loaded, "lifetime" over the card's life.
struct GpuHealth {
  Fact<bool> ecc_enabled;
  Fact<std::int64_t> corrected;
  Fact<std::int64_t> uncorrected;
  Fact<std::int64_t> corrected_lifetime;
  Fact<std::int64_t> uncorrected_lifetime;
  Fact<std::int64_t> rows_remapped_corrected;
  Fact<std::int64_t> rows_remapped;  ///< for uncorrectable errors
  Fact<bool> remap_pending;
  Fact<bool> remap_failed;
  Fact<std::int64_t> retired_pages;
};

struct GpuPcie {
  Fact<std::int64_t> generation;  ///< now: an idle link may show less than it can do
  Fact<std::int64_t> generation_max;
  Fact<std::int64_t> width;
  Fact<std::int64_t> width_max;
  Fact<std::int64_t> replays;
};

struct GpuFacts {
  int number = 0;  ///< on its node, in the order of PCI addresses
  GpuState state = GpuState::ok;
  std::string problem;  ///< when not ok: what is the matter
  Fact<std::string> name;
  Fact<std::string> uuid;
  Fact<std::string> serial;
  std::string pci_bus_id;  ///< "0000:1b:00.0"
  Fact<std::int64_t> numa_node;
  Fact<std::vector<int>> near_cpus;
  Fact<std::string> nic;          ///< nearest: RDMA device, or interface when there is none
  Fact<std::int64_t> capability;  ///< 10 * major + minor compute capability
  Fact<std::int64_t> memory;      ///< total
  Fact<std::int64_t> memory_used;
  Fact<double> temperature;
  Fact<double> utilization;  ///< share of the last sampling period in which a kernel ran, 0..1
  GpuClocks clocks;
  GpuPower power;
  GpuHealth health;
  GpuPcie pcie;
  Fact<std::vector<NvlinkFacts>> nvlinks;  ///< empty: the card has none
  Fact<bool> mig;                          ///< partitioned into instances
  Fact<bool> persistence;
  Fact<std::string> compute_mode;    ///< default, exclusive_process, prohibited
  Fact<std::string> virtualization;  ///< none, passthrough, vgpu, host_vgpu, host_vsga
  Fact<std::string> fabric_state;    ///< of NVSwitch: completed, in_progress, not_started, not_supported
  Fact<std::string> fabric_clique;   ///< "UUID.clique" of a completed fabric
  Fact<std::vector<GpuProcess>> processes;
};

/// The driver and its library, as far as GPUs can be asked about at all.
struct GpuDriverFacts {
  Fact<std::string> driver;          ///< version; unknown: why no GPU could be asked
  Fact<std::string> library;         ///< version of the management library
  Fact<std::string> cuda;            ///< newest CUDA that the driver serves
  std::string file;                  ///< the library
  bool emulated = false;             ///< the library says that its GPUs are modelled in software
  std::vector<std::string> missing;  ///< functions that the library lacks
};

struct GpuInventory {
  GpuDriverFacts driver;
  std::vector<GpuFacts> gpus;  ///< by PCI address
};

/// Calls visit(name, fact) for what a GPU is and how it works now.
template <class Visit>
void for_each_working_fact(const GpuFacts& gpu, Visit&& visit) {
  visit("name", gpu.name);
  visit("uuid", gpu.uuid);
  visit("serial", gpu.serial);
  visit("numa_node", gpu.numa_node);
  visit("nic", gpu.nic);
  visit("capability", gpu.capability);
  visit("memory_bytes", gpu.memory);
  visit("memory_used_bytes", gpu.memory_used);
  visit("temperature_celsius", gpu.temperature);
  visit("utilization", gpu.utilization);
  visit("sm_clock_hz", gpu.clocks.sm);
  visit("sm_clock_max_hz", gpu.clocks.sm_max);
  visit("sm_clock_application_hz", gpu.clocks.sm_application);
  visit("memory_clock_hz", gpu.clocks.memory);
  visit("memory_clock_max_hz", gpu.clocks.memory_max);
  visit("memory_clock_application_hz", gpu.clocks.memory_application);
  visit("clock_event_reasons", gpu.clocks.event_reasons);
  visit("performance_state", gpu.clocks.performance_state);
  visit("power_watts", gpu.power.usage);
  visit("power_limit_watts", gpu.power.limit);
  visit("power_limit_default_watts", gpu.power.limit_default);
  visit("power_limit_min_watts", gpu.power.limit_min);
  visit("power_limit_max_watts", gpu.power.limit_max);
}

/// Calls visit(name, fact) for a GPU's health, links and modes.
template <class Visit>
void for_each_health_fact(const GpuFacts& gpu, Visit&& visit) {
  visit("ecc_enabled", gpu.health.ecc_enabled);
  visit("ecc_corrected", gpu.health.corrected);
  visit("ecc_uncorrected", gpu.health.uncorrected);
  visit("ecc_corrected_lifetime", gpu.health.corrected_lifetime);
  visit("ecc_uncorrected_lifetime", gpu.health.uncorrected_lifetime);
  visit("rows_remapped_corrected", gpu.health.rows_remapped_corrected);
  visit("rows_remapped", gpu.health.rows_remapped);
  visit("remap_pending", gpu.health.remap_pending);
  visit("remap_failed", gpu.health.remap_failed);
  visit("retired_pages", gpu.health.retired_pages);
  visit("pcie_generation", gpu.pcie.generation);
  visit("pcie_generation_max", gpu.pcie.generation_max);
  visit("pcie_width", gpu.pcie.width);
  visit("pcie_width_max", gpu.pcie.width_max);
  visit("pcie_replays", gpu.pcie.replays);
  visit("mig_enabled", gpu.mig);
  visit("persistence", gpu.persistence);
  visit("compute_mode", gpu.compute_mode);
  visit("virtualization", gpu.virtualization);
  visit("fabric_state", gpu.fabric_state);
}

/// Calls visit(name, fact) for each plain fact of a GPU (not for its links and processes).
template <class Visit>
void for_each_fact(const GpuFacts& gpu, Visit&& visit) {
  for_each_working_fact(gpu, visit);
  for_each_health_fact(gpu, visit);
}

}  // namespace assay
