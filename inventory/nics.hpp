#pragma once

#include <vector>

#include "inventory/facts.hpp"
#include "inventory/system_root.hpp"

namespace assay {

/// All network interfaces but the loopback, then RDMA devices that no interface belongs to; each by name.
[[nodiscard]] std::vector<NicFacts> read_nics(const SystemRoot& root);

}  // namespace assay
