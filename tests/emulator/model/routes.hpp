#pragma once

#include <string>
#include <vector>

#include "tests/emulator/model/cluster.hpp"

namespace emulator {

/// The way of a transfer. Resources are numbered over the whole cluster; each works in one direction and is shared by
/// all transfers that name it.
struct Route {
  double bytes_per_second = 0;  ///< Of a single large transfer that shares nothing.
  double latency_seconds = 0;
  std::vector<int> resources;
  bool peer_to_peer = false;  ///< Without a stop in host memory.
};

/// Between pinned host memory of a NUMA node and a card.
Route host_route(const Gpu& gpu, int numa_node, bool to_device);
/// Between two cards of one node; by NVLink where they are joined, else by PCIe, else through host memory.
Route peer_route(const Gpu& from, const Gpu& to);
/// Between a NIC and the memory of a card (or of the host, gpu == nullptr).
Route nic_route(const Nic& nic, const Gpu* gpu, bool sending);
/// The two cards can have peer access (cudaDeviceCanAccessPeer).
bool peer_possible(const Gpu& from, const Gpu& to);
/// NVLinks that work between two cards; 0 = none.
int nvlinks_between(const Gpu& from, const Gpu& to);

/// [B/s] that all transfers over a resource get together.
double capacity(int resource);
/// Number of resources of the cluster: ids are 0 to this, exclusive.
int resource_count();
/// For messages: "node00 gpu 3 pcie in".
std::string resource_name(int resource);

}  // namespace emulator
