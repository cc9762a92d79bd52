#pragma once

#include "core/group.hpp"
#include "launcher/run/gpu_plugin.hpp"
#include "launcher/run/placement.hpp"

namespace assay {

/// Which GPU this rank works with.
struct GpuChoice {
  int ordinal = -1;  ///< of the backend's devices; -1: none, the rank measures on the host only
};

/// Collective over the world: gives each rank a GPU of its node and fills gpu_of, gpus_found and gpu of the layout.
[[nodiscard]] GpuChoice place_gpus(Group& world, Placement& placement, const GpuPlugin& plugin);

}  // namespace assay
