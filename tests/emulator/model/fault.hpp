#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace emulator {

enum class FaultKind {
  power_cap,         ///< watts
  locked_clocks,     ///< sm_mhz [420], watts [40]
  thermal,           ///< after_seconds [5], sm_mhz
  mig_slice,         ///< fraction of the card's SMs and memory
  renamed,           ///< product: what the card really is; it goes on showing the name of the product declared
  half_memory,       ///<
  dead_nvlink,       ///< count, or link: these links do not work
  missing_nvlink,    ///< no link works
  pcie_width,        ///< width [8]
  pcie_gen,          ///< generation [1]
  p2p_off,           ///< no peer access from or to the card
  ecc,               ///< count, uncorrected [false]
  wrong_results,     ///< rate [1e-9]: share of results with one bit wrong
  hang,              ///< operation (part of its name; empty = any), after [0]: the operation after so many never ends
  crash,             ///< operation, after: the process kills itself there
  lost_gpu,          ///< after: after so many operations every call fails
  jitter,            ///< sigma of the card's times, instead of the cluster's
  missing_gpu,       ///< the card is not there
  out_of_memory,     ///< fraction of the memory that a foreign process holds
  slow_nic,          ///< gbit: delivers this, shows its full rate
  dead_nic,          ///< port down
  down_rated_nic,    ///< gbit: shows and delivers this
  gdr_off,           ///< no transfers between NIC and GPU memory without a stop in host memory
  noisy_neighbour,   ///< share of the NIC that others take, period_seconds: in bursts of half the period
  half_nics,         ///< every second NIC of the node is not there
  driver_too_old,    ///< the node's driver is older than the runtime
  socket_transport,  ///< the fabric is used through sockets
  oversubscribed,    ///< ratio of the spine
};
inline constexpr std::size_t fault_kind_count = 28;
std::string_view name_of(FaultKind);
/// All names, in the order of FaultKind.
std::vector<std::string_view> fault_names();

/// What a fault sits in: its GPUs, its NICs, its nodes, or the cluster.
enum class FaultPlace { gpu, nic, node, cluster };
FaultPlace place_of(FaultKind);

/// One fault of a cluster file. Numbers that its kind does not take are 0.
struct Fault {
  FaultKind kind{};
  std::vector<int> nodes, gpus, nics, links;  ///< Where; empty = everywhere. GPUs and NICs count as in a healthy node.
  double watts = 0, sm_mhz = 0, after_seconds = 0, fraction = 0, gbit = 0, ratio = 0, share = 0, period_seconds = 0;
  double rate = 0, sigma = 0;
  int count = 0, width = 0, generation = 0, after = 0;
  bool uncorrected = false;
  std::string product, operation;
};

/// The first fault of this kind in the list; nullptr when there is none.
const Fault* find_fault(const std::vector<Fault>& faults, FaultKind kind);

}  // namespace emulator
