#pragma once

#include <array>
#include <string_view>

#include "results/record.hpp"
#include "results/schema_field.hpp"

namespace assay::results {

/// The tables of GPUs, NICs and disks; part of results/schema.hpp.

template <>
struct Table<NicRow> {
  using R = NicRow;
  static constexpr std::string_view name = "nics";
  static constexpr std::string_view summary = "One row per network interface of each host.";
  static constexpr std::array fields{
      Field<R>{"node", &R::node, "-", "Index of the host"},
      Field<R>{"name", &R::name, "-", "Interface name", 64},
      Field<R>{"driver", &R::driver, "-", "Kernel driver", 64, Text::free},
      Field<R>{"state", &R::state, "-", "Operational state as the kernel names it", 32, Text::free},
      Field<R>{"speed_bits_per_second", &R::speed_bits_per_second, "bit/s", "Port rate; NaN: not reported"},
      Field<R>{"mtu", &R::mtu, "byte", "Largest packet"},
      Field<R>{"numa_node", &R::numa_node, "-", "NUMA node it hangs on; -1: unknown"},
      Field<R>{"address", &R::address, "-", "Hardware address", 64},
      Field<R>{"rdma_device", &R::rdma_device, "-", "RDMA device of the port; empty: none", 64},
      Field<R>{"rdma_state", &R::rdma_state, "-", "State of the RDMA port: ACTIVE, DOWN, INIT, ...", 32, Text::free},
      Field<R>{"physical_state", &R::physical_state, "-", "Its physical state: LinkUp, Polling, Disabled, ...", 32,
               Text::free},
      Field<R>{"link_layer", &R::link_layer, "-", "InfiniBand or Ethernet; empty: no RDMA device", 32, Text::free},
      Field<R>{"rate", &R::rate, "-", "Rate of the RDMA port as the kernel prints it", 48, Text::free},
      Field<R>{"firmware", &R::firmware, "-", "Firmware of the RDMA device", 48, Text::free},
      Field<R>{"guid", &R::guid, "-", "Node GUID of the RDMA device", 48, Text::free},
      Field<R>{"board", &R::board, "-", "Board id of the RDMA device", 64, Text::free},
      Field<R>{"pci_bus_id", &R::pci_bus_id, "-", "PCI address; empty: none", 32},
  };
};

template <>
struct Table<GpuRow> {
  using R = GpuRow;
  static constexpr std::string_view name = "gpus";
  static constexpr std::string_view summary =
      "One row per GPU of each host, at the start of the run. What is not known is -1 in whole numbers, NaN or empty "
      "text; `not_run` says why.";
  static constexpr std::array fields{
      Field<R>{"node", &R::node, "-", "Index of the host"},
      Field<R>{"gpu", &R::gpu, "-", "Number on its host, in the order of PCI addresses"},
      Field<R>{"rank", &R::rank, "-", "Rank that measures on it; -1: none"},
      Field<R>{"state", &R::state, "-",
               "ok; lost: does not answer any more; no_driver: on the PCI bus only; hidden: not given to this job", 16},
      Field<R>{"problem", &R::problem, "-", "What is the matter when it is not ok", 200, Text::free},
      Field<R>{"name", &R::name, "-", "Product name as the driver reports it", 96, Text::free},
      Field<R>{"uuid", &R::uuid, "-", "Identity of the card", 96},
      Field<R>{"serial", &R::serial, "-", "Serial number of the board", 32, Text::free},
      Field<R>{"pci_bus_id", &R::pci_bus_id, "-", "PCI address: domain:bus:device.function", 32},
      Field<R>{"numa_node", &R::numa_node, "-", "NUMA node it hangs on"},
      Field<R>{"nic", &R::nic, "-", "Nearest RDMA device or network interface; empty: none", 64},
      Field<R>{"capability", &R::capability, "-", "10 * major + minor compute capability"},
      Field<R>{"multiprocessors", &R::multiprocessors, "count", "Streaming multiprocessors"},
      Field<R>{"memory_bytes", &R::memory_bytes, "byte", "Device memory, as the driver reports it"},
      Field<R>{"memory_used_bytes", &R::memory_used_bytes, "byte", "Of it, in use before the run allocated any"},
      Field<R>{"sm_clock_max_hz", &R::sm_clock_max_hz, "Hz", "Highest SM clock"},
      Field<R>{"sm_clock_application_hz", &R::sm_clock_application_hz, "Hz", "SM clock set for applications"},
      Field<R>{"memory_clock_max_hz", &R::memory_clock_max_hz, "Hz", "Highest memory clock"},
      Field<R>{"memory_clock_application_hz", &R::memory_clock_application_hz, "Hz",
               "Memory clock set for applications"},
      Field<R>{"power_limit_watts", &R::power_limit_watts, "W", "Power limit in force"},
      Field<R>{"power_limit_default_watts", &R::power_limit_default_watts, "W", "Power limit as delivered"},
      Field<R>{"power_limit_max_watts", &R::power_limit_max_watts, "W", "Highest limit that can be set"},
      Field<R>{"temperature_celsius", &R::temperature_celsius, "degC", "Temperature of the chip"},
      Field<R>{"ecc_enabled", &R::ecc_enabled, "-", "Error correction: 1 on, 0 off"},
      Field<R>{"ecc_corrected", &R::ecc_corrected, "count", "Errors corrected since the driver was loaded"},
      Field<R>{"ecc_uncorrected", &R::ecc_uncorrected, "count", "Errors not corrected since the driver was loaded"},
      Field<R>{"ecc_corrected_lifetime", &R::ecc_corrected_lifetime, "count", "Errors corrected over the card's life"},
      Field<R>{"ecc_uncorrected_lifetime", &R::ecc_uncorrected_lifetime, "count",
               "Errors not corrected over the card's life"},
      Field<R>{"rows_remapped", &R::rows_remapped, "count", "Memory rows replaced after uncorrectable errors"},
      Field<R>{"remap_pending", &R::remap_pending, "-", "1: a row waits to be replaced at the next reset"},
      Field<R>{"remap_failed", &R::remap_failed, "-", "1: no spare row was left"},
      Field<R>{"retired_pages", &R::retired_pages, "count", "Memory pages taken out of use"},
      Field<R>{"pcie_generation", &R::pcie_generation, "-", "PCIe generation at the start: idle links show less"},
      Field<R>{"pcie_generation_max", &R::pcie_generation_max, "-", "Highest generation of card and slot together"},
      Field<R>{"pcie_width", &R::pcie_width, "count", "PCIe lanes at the start"},
      Field<R>{"pcie_width_max", &R::pcie_width_max, "count", "Most lanes of card and slot together"},
      Field<R>{"pcie_replays", &R::pcie_replays, "count", "Packets sent again on the PCIe link"},
      Field<R>{"nvlinks", &R::nvlinks, "count", "NVLinks that the card has; 0: none"},
      Field<R>{"nvlinks_active", &R::nvlinks_active, "count", "Of them, those that are up"},
      Field<R>{"nvlink_version", &R::nvlink_version, "-", "Version code of the driver's library, no generation"},
      Field<R>{"nvlink_errors", &R::nvlink_errors, "count", "Replays, recoveries and CRC errors over all links"},
      Field<R>{"mig_enabled", &R::mig_enabled, "-", "1: partitioned into instances"},
      Field<R>{"compute_mode", &R::compute_mode, "-", "default, exclusive_process, prohibited", 32},
      Field<R>{"virtualization", &R::virtualization, "-", "none, passthrough, vgpu, host_vgpu, host_vsga", 32},
      Field<R>{"fabric_state", &R::fabric_state, "-", "NVSwitch fabric: completed, in_progress, not_supported", 32},
      Field<R>{"fabric_clique", &R::fabric_clique, "-", "GPUs with one text are joined by switches; empty: none", 64,
               Text::free},
      Field<R>{"driver", &R::driver, "-", "Driver version", 80, Text::free},
      Field<R>{"foreign_processes", &R::foreign_processes, "count", "Processes on the card that are not of this run"},
      Field<R>{"not_run", &R::not_run, "-", "What could not be read, and why", 400, Text::free},
  };
};

template <>
struct Table<NvlinkRow> {
  using R = NvlinkRow;
  static constexpr std::string_view name = "nvlinks";
  static constexpr std::string_view summary = "One row per NVLink of each GPU, at the start of the run. -1: not known.";
  static constexpr std::array fields{
      Field<R>{"node", &R::node, "-", "Index of the host"},
      Field<R>{"gpu", &R::gpu, "-", "Number of the GPU on its host"},
      Field<R>{"link", &R::link, "-", "Number of the link on the GPU"},
      Field<R>{"active", &R::active, "-", "1: up, 0: down"},
      Field<R>{"version", &R::version, "-", "Version code of the driver's library, no generation"},
      Field<R>{"remote_kind", &R::remote_kind, "-", "Other end: gpu, switch or npu", 32},
      Field<R>{"remote", &R::remote, "-", "PCI address of the other end", 32},
      Field<R>{"replays", &R::replays, "count", "Packets sent again"},
      Field<R>{"recoveries", &R::recoveries, "count", "Times the link was brought back"},
      Field<R>{"crc_errors", &R::crc_errors, "count", "Checksum errors of flits and data"},
  };
};

template <>
struct Table<DistanceRow> {
  using R = DistanceRow;
  static constexpr std::string_view name = "distances";
  static constexpr std::string_view summary = "One row per pair of GPUs and NICs of each host.";
  static constexpr std::array fields{
      Field<R>{"node", &R::node, "-", "Index of the host"},
      Field<R>{"from", &R::from, "-", "gpu and its number, or a NIC: its RDMA device or interface", 64},
      Field<R>{"to", &R::to, "-", "The other one", 64},
      Field<R>{
          "kind", &R::kind, "-",
          "PIX: the same PCIe switch; PXB: several bridges; PHB: a host bridge; NODE: several of one NUMA node; SYS: "
          "the link between NUMA nodes; unknown",
          16},
      Field<R>{"nvlinks", &R::nvlinks, "count", "Active NVLinks that join the two, directly or by switches"},
  };
};

template <>
struct Table<DiskRow> {
  using R = DiskRow;
  static constexpr std::string_view name = "disks";
  static constexpr std::string_view summary = "One row per disk or remote file system of each host.";
  static constexpr std::array fields{
      Field<R>{"node", &R::node, "-", "Index of the host"},
      Field<R>{"path", &R::path, "-", "Test path that it backs; empty: another disk", 1024, Text::free},
      Field<R>{"device", &R::device, "-", "Block device or remote export", 256, Text::free},
      Field<R>{"transport", &R::transport, "-", "nvme, sata, sas, virtio, network, memory, loop or unknown", 32},
      Field<R>{"model", &R::model, "-", "Model as the device reports it", 128, Text::free},
      Field<R>{"rotational", &R::rotational, "-", "1: spinning, 0: not, -1: unknown"},
      Field<R>{"size_bytes", &R::size_bytes, "byte", "Size of the device or file system"},
      Field<R>{"file_system", &R::file_system, "-", "File system type", 64, Text::free},
      Field<R>{"free_bytes", &R::free_bytes, "byte", "Free for the user of the run, at the start"},
  };
};

}  // namespace assay::results
