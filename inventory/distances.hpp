#pragma once

#include <string>
#include <vector>

#include "inventory/gpu_facts.hpp"
#include "inventory/pci.hpp"
#include "inventory/system_root.hpp"

namespace assay {

struct NicFacts;

/// What lies between two PCI devices, nearest first. The names are those that NVIDIA's tools print.
enum class Path {
  pix,      ///< at most one PCIe bridge on the way: the same switch
  pxb,      ///< several bridges, but no host bridge
  phb,      ///< a host bridge (root complex)
  node,     ///< several host bridges of one NUMA node
  sys,      ///< the link between NUMA nodes
  unknown,  ///< the place of one of the two is not known
};
[[nodiscard]] std::string_view to_string(Path path);

/// From the chains of bridges and the NUMA nodes. `numa_nodes`: of the machine; with one, all devices are on it.
[[nodiscard]] Path path_between(const PciDevice& a, const PciDevice& b, std::int64_t numa_nodes);

/// Ends are "gpu0" or the name of a NIC. Each pair once, in the order of the devices.
struct DistanceFacts {
  std::string from;
  std::string to;
  Path path = Path::unknown;
  int nvlinks = 0;  ///< active NVLinks that join the two, directly or by switches
};

/// A device that takes part.
struct Place {
  std::string name;
  PciDevice device;
};

/// All pairs of GPUs and NICs that sit on the PCI bus.
[[nodiscard]] std::vector<DistanceFacts> read_distances(const SystemRoot& root, const std::vector<GpuFacts>& gpus,
                                                        const std::vector<NicFacts>& nics, std::int64_t numa_nodes);

/// Sets each GPU's nearest NIC: RDMA devices before others, near before far, fast before slow. GPUs that have the same
/// NICs at the same distance take them in turn.
void choose_nics(std::vector<GpuFacts>& gpus, const std::vector<NicFacts>& nics,
                 const std::vector<DistanceFacts>& distances);

/// Name of a NIC in distances and beside GPUs: its RDMA device, or its interface when it has none.
[[nodiscard]] std::string nic_name(const NicFacts& nic);

}  // namespace assay
