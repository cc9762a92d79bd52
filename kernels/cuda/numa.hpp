#pragma once

#include <optional>
#include <string>

namespace assay::cuda {

/// NUMA nodes with memory on this host, as sysfs counts them; 1 when that cannot be read.
[[nodiscard]] int numa_nodes();

/// NUMA node of a PCI device ("0000:1b:00.0"); nothing when the system does not say.
[[nodiscard]] std::optional<int> numa_node_of(const std::string& pci_bus_id);

/// While it lives, pages that this thread touches first come from one NUMA node where possible.
class NumaPreference {
 public:
  /// Without a node nothing changes.
  explicit NumaPreference(std::optional<int> node);
  NumaPreference(const NumaPreference&) = delete;
  NumaPreference& operator=(const NumaPreference&) = delete;
  ~NumaPreference();

 private:
  bool set_ = false;
};

}  // namespace assay::cuda
