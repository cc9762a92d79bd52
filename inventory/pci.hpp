#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "inventory/fact.hpp"
#include "inventory/system_root.hpp"

namespace assay {

/// A device on the PCI bus, as sysfs shows it.
struct PciDevice {
  std::string address;  ///< "0000:1b:00.0"
  std::int64_t vendor = 0;
  std::int64_t device = 0;
  std::int64_t kind = 0;         ///< class, 24 bits: 0x030200 is a 3D controller
  Fact<std::string> driver;      ///< unknown: none is bound
  Fact<std::int64_t> numa_node;  ///< unknown when the firmware names none
  Fact<std::vector<int>> near_cpus;
  std::vector<std::string> chain;  ///< host bridge, bridges and the device itself: "pci0000:17", "0000:17:01.0", ...
};

/// "00000000:1B:00.0", "0000:1b:00.0" and "1B:00.0" are one address: lower case, four digits of domain (more only where
/// the domain needs them).
[[nodiscard]] std::string normal_pci_address(std::string_view text);

/// The device at a normal address. What is not there is unknown, and the chain empty.
[[nodiscard]] PciDevice read_pci_device(const SystemRoot& root, const std::string& address);

/// The PCI device behind a directory such as /sys/class/infiniband/mlx5_0/device; empty when there is none.
[[nodiscard]] std::string pci_address_behind(const SystemRoot& root, const std::string& link);

/// NVIDIA's display and 3D controllers, by address.
[[nodiscard]] std::vector<PciDevice> read_pci_gpus(const SystemRoot& root);

}  // namespace assay
