#pragma once

#include <string>

#include "inventory/facts.hpp"
#include "inventory/system_root.hpp"

namespace assay {

/// How the CPUs of the node hang together, by hwloc; what the job may not use is counted too.
struct Topology {
  Fact<std::int64_t> sockets;
  Fact<std::int64_t> cores;
  Fact<std::int64_t> numa_nodes;
  Fact<std::string> hwloc_version;  ///< "2.9.0"
};

/// hwloc takes a made-up root only from the environment: with one, not to be called while other threads read that.
[[nodiscard]] Topology read_topology(const SystemRoot& root);

}  // namespace assay
