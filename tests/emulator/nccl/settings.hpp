#pragma once

#include <array>
#include <string>
#include <vector>

#include "tests/emulator/nccl/model.hpp"

namespace emulator::nccl {

/// How far apart GPU and NIC may be for transfers between them without a stop in host memory, as NCCL counts it.
enum class Distance { local = 0, nvlink = 1, pix = 4, pxb = 5, phb = 8, sys = 9, never = -1 };

/// What the environment variables of NCCL ask for. Those that real NCCL keeps from their first use on are read once.
struct Settings {
  std::array<Choice, 9> choices;  ///< By Collective.
  bool pinned_algorithm = false, pinned_protocol = false;
  std::string algorithm_text, protocol_text;
  bool nvls = true, peer_to_peer = true, shared_memory = true, infiniband = true, collnet = false;
  Distance gdr_level = Distance::pxb;
  std::string hca, interface_name;

  [[nodiscard]] const Choice& choice(Collective collective) const {
    return choices[static_cast<std::size_t>(collective)];
  }
  /// NCCL_IB_HCA allows this NIC: list of prefixes, "=" for whole names, "^" for all but these.
  [[nodiscard]] bool uses(const std::string& nic) const;

  /// Reads the environment. Throws std::invalid_argument for what NCCL would refuse.
  static Settings from_environment();
};

/// Reads a value of NCCL_ALGO or NCCL_PROTO such as "Ring", "^NVLS,Tree" or "allreduce:tree;allgather:ring" into the
/// choices. Throws std::invalid_argument that names the word it does not know.
void read_algorithms(const std::string& text, std::array<Choice, 9>& choices);
void read_protocols(const std::string& text, std::array<Choice, 9>& choices);

}  // namespace emulator::nccl
