#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/emulator/model/fault.hpp"
#include "tests/emulator/model/product.hpp"

namespace emulator {

/// How the GPUs of a node are joined: all through switches, pairs by bridges, or by PCIe alone.
enum class Interconnect { none, bridge, nvswitch };
enum class Transport { ib, roce, socket };

/// One card of a node, with its faults applied.
struct Gpu {
  int node = 0;
  int index = 0;                     ///< Among the cards that are there: the number that NVML and CUDA give it.
  int slot = 0;                      ///< Place in a healthy node; the `gpu` of a fault.
  const Product* product = nullptr;  ///< What the card is.
  std::string shown_name, uuid, serial, pci_bus_id;  ///< pci_bus_id as CUDA and NVML print it: "00000000:1B:00.0".
  int sm_count = 0;
  std::uint64_t memory_bytes = 0;            ///< Of the whole card, or of its slice.
  std::uint64_t foreign_bytes = 0;           ///< Held by a process that is not ours.
  std::vector<bool> nvlinks;                 ///< Per link: works. Empty when the node joins nothing by NVLink.
  int bridge_peer = -1;                      ///< Slot of the card at the other end of a bridge; -1 = none.
  int pcie_gen = 0, pcie_width = 0;          ///< Under load, faults applied.
  int pcie_gen_max = 0, pcie_width_max = 0;  ///< Of the card and its slot.
  int numa_node = 0;
  int bridge = 0;            ///< PCIe switch or root port of the node; cards with the same number share its uplink.
  bool peer_to_peer = true;  ///< Peer access is allowed at all.
  bool mig = false;
  std::vector<Fault> faults;

  [[nodiscard]] const Fault* fault(FaultKind which) const { return find_fault(faults, which); }
  [[nodiscard]] int nvlinks_up() const;
};

struct Nic {
  int node = 0;
  int slot = 0;      ///< Place in a healthy node; the `nic` of a fault.
  std::string name;  ///< "mlx5_0"
  Transport kind = Transport::ib;
  double rate = 0;       ///< Shown by the port [bit/s]; of a dead one, what it would show.
  double full_rate = 0;  ///< Of a healthy port [bit/s].
  double delivered = 0;  ///< What large transfers reach, faults but no neighbour applied [B/s]; 0 = dead.
  bool up = true;
  bool gdr = true;
  int numa_node = 0;
  int near_gpu = -1;  ///< Slot of the nearest GPU; -1 = none.
  int rail = 0;
  std::string pci_bus_id;  ///< "0000:19:00.0", as sysfs writes it.
  std::vector<Fault> faults;

  [[nodiscard]] const Fault* fault(FaultKind which) const { return find_fault(faults, which); }
};

struct Node {
  int index = 0;
  std::string host, cpu;
  int sockets = 1;
  double numa_link_rate = 0;  ///< Between two sockets, one way [B/s].
  Interconnect interconnect = Interconnect::none;
  bool nvls = false;  ///< The switches reduce and multicast.
  int gpu_slots = 0;  ///< GPUs of the healthy node.
  std::vector<Gpu> gpus;
  std::vector<Nic> nics;
  std::vector<Fault> faults;  ///< Of the whole node.

  [[nodiscard]] const Fault* fault(FaultKind which) const { return find_fault(faults, which); }
};

struct Fabric {
  Transport transport = Transport::ib;  ///< What the libraries use; socket also through a fault.
  bool rail_optimised = true;
  double oversubscription = 1;  ///< 2 = half of the bandwidth between leaf switches.
  bool sharp = false;
  double latency_seconds = 2.5e-6;  ///< NIC to NIC, one way.
};

/// The emulated cluster.
class Cluster {
 public:
  /// The one that ASSAY_EMULATOR_CLUSTER and ASSAY_EMULATOR_FAULTS name, read at the first call. Ends the process with
  /// exit code 99 and a message when they are missing or wrong.
  static const Cluster& current();
  /// Reads a file, and a second one laid over it. Throws ConfigError.
  static Cluster read(const std::filesystem::path& file, const std::filesystem::path& overlay = {});

  [[nodiscard]] const std::vector<Node>& nodes() const { return nodes_; }
  /// This process's node: ASSAY_EMULATOR_NODE, else the node with this host's name, else the only one.
  [[nodiscard]] const Node& this_node() const;
  [[nodiscard]] const Fabric& fabric() const { return fabric_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::uint64_t seed() const { return seed_; }
  [[nodiscard]] double noise_sigma() const { return noise_sigma_; }
  /// No operation takes time.
  [[nodiscard]] bool zero_time() const { return zero_time_; }

 private:
  friend class ClusterReader;
  std::string name_;
  std::uint64_t seed_ = 1;
  double noise_sigma_ = 0.002;
  bool zero_time_ = false;
  Fabric fabric_;
  std::vector<Node> nodes_;
};

}  // namespace emulator
