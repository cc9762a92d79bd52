#pragma once

#include "inventory/cgroup.hpp"
#include "inventory/facts.hpp"
#include "inventory/system_root.hpp"

namespace assay {

[[nodiscard]] MemoryFacts read_memory(const SystemRoot& root, const CgroupLimits& limits);

/// Soft limits from /proc/self/limits.
[[nodiscard]] LimitFacts read_limits(const SystemRoot& root);

}  // namespace assay
