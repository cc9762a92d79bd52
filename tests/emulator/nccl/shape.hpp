#pragma once

#include <string>
#include <utility>
#include <vector>

namespace emulator::nccl {

/// What carries bytes between two ranks.
enum class Medium { self, nvlink, pcie, host, nic, nic_host, socket };

/// Something that bytes cross in one direction, such as the sending side of a port.
struct Segment {
  double rate = 0;          ///< [B/s], without protocols
  int resource = -1;        ///< Number in the model, where others may share it; -1 = none.
  int owner = 0;            ///< The rank that announces it when all ranks use it together.
  int node = -1, nic = -1;  ///< Of a NIC's side: place in Cluster; else -1.
};

/// The way from one rank to another, or from a rank to the wire.
struct Hop {
  Medium medium = Medium::self;
  std::vector<int> out, in;  ///< Indices into Shape::segments: on the sender's side, on the receiver's side.
  bool gdr = false;
  int nic_out = -1, nic_in = -1;  ///< NICs used, as places in Cluster; -1 = none.
};

/// A NIC that rings between nodes use: the ways out of the node and into it. A ring leaves at one rank of the node and
/// comes back at the next in the node's order.
struct Rail {
  Hop out, in;
  int exit_rank = 0;
};

/// What NCCL could know of the machines that a communicator spans: input of the time model, and no more than it needs.
struct Shape {
  std::vector<int> node_of;                  ///< Per rank: 0, 1, ... in order of appearance.
  std::vector<std::vector<int>> node_ranks;  ///< Per node.
  std::vector<Segment> segments;
  std::vector<std::vector<Hop>> hops;                        ///< [from][to]
  std::vector<std::vector<Rail>> rails;                      ///< Per node.
  std::vector<std::vector<std::pair<int, int>>> nvls_ports;  ///< Per node: segments (out, in) of each rank's NVLink.
  int nvlink_generation = 0;                                 ///< 0 = the ranks have none.
  bool nvls = false;                                         ///< Every node has switches that reduce.
  bool sharp = false;                                        ///< The fabric's switches reduce.
  bool shared = false;    ///< Cards of these nodes that are no ranks may use the same segments.
  double spine_rate = 0;  ///< [B/s] of the whole spine in one direction; 0 = as much as all NICs together.

  [[nodiscard]] int ranks() const { return static_cast<int>(node_of.size()); }
  [[nodiscard]] int nodes() const { return static_cast<int>(node_ranks.size()); }
  /// Rings between nodes: NICs that every node has for them.
  [[nodiscard]] int rings() const;
  [[nodiscard]] const Hop& hop(int from, int to) const;
};

}  // namespace emulator::nccl
