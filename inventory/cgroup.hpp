#pragma once

#include <vector>

#include "inventory/system_root.hpp"

namespace assay {

/// What the control group of this process (version 1, 2 or both, cgroups(7)) limits it to, the tightest from the group
/// itself up to the top that can be seen.
struct CgroupLimits {
  Fact<std::vector<int>> cpuset;  ///< unknown when no cpuset is set up
  Fact<double> cpu_quota;         ///< CPUs; infinity = no limit
  Fact<double> memory;            ///< bytes; infinity = no limit
};

[[nodiscard]] CgroupLimits read_cgroup_limits(const SystemRoot& root);

}  // namespace assay
