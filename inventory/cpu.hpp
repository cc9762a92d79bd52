#pragma once

#include "inventory/cgroup.hpp"
#include "inventory/facts.hpp"
#include "inventory/system_root.hpp"
#include "inventory/topology.hpp"

namespace assay {

/// Everything about the node's CPUs.
[[nodiscard]] CpuFacts read_cpu(const SystemRoot& root, const CgroupLimits& limits, const Topology& topology);

/// The CPUs that the job was given. The affinity of a rank is what mpirun or srun bound it to; the affinity of the
/// launcher's own process among this process's ancestors is what the launcher had to give away. Without such an
/// ancestor the own affinity counts.
[[nodiscard]] CpuGrant read_cpu_grant(const SystemRoot& root, const CgroupLimits& limits);

}  // namespace assay
