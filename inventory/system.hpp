#pragma once

#include "inventory/facts.hpp"
#include "inventory/system_root.hpp"

namespace assay {

/// Operating system, kernel, virtualization and clock source; the clock's cost is measured elsewhere.
[[nodiscard]] SystemFacts read_system(const SystemRoot& root);

/// "none", or the container and the hypervisor around us: "docker", "kvm", "docker on kvm".
[[nodiscard]] Fact<std::string> read_virtualization(const SystemRoot& root);

}  // namespace assay
