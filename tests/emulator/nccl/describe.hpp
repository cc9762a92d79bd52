#pragma once

#include <vector>

#include "tests/emulator/model/cluster.hpp"
#include "tests/emulator/nccl/settings.hpp"
#include "tests/emulator/nccl/shape.hpp"

namespace emulator::nccl {

/// A rank's card: place of its node in Cluster::nodes(), and of the card in Node::gpus.
struct Place {
  int node = 0, gpu = 0;
  bool operator==(const Place&) const = default;
};

const Gpu& gpu_at(const Cluster& cluster, const Place& place);

/// The NICs that NCCL finds usable on a node, in its order; empty when traffic goes through sockets of the host's
/// interface.
std::vector<const Nic*> usable_nics(const Cluster& cluster, const Node& node, const Settings& settings);
/// Traffic between nodes goes through sockets.
bool uses_sockets(const Cluster& cluster, const Settings& settings);

/// The machine as a communicator with these ranks sees it.
Shape describe(const Cluster& cluster, const std::vector<Place>& places, const Settings& settings);

/// What the socket transport makes of one interface at most, and of the host's own interface when the NICs are no
/// network interfaces [B/s]. About 3 GB/s a node are seen after a fall-back to TCP (NVIDIA/aicr#2683).
inline constexpr double socket_rate_most = 4.0e9, host_interface_rate = 3.1e9;

}  // namespace emulator::nccl
