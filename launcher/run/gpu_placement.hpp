#pragma once

#include <string>
#include <string_view>

#include "core/group.hpp"
#include "launcher/run/gpu_plugin.hpp"
#include "launcher/run/placement.hpp"

namespace assay {

/// Which GPU this rank works with.
struct GpuChoice {
  int ordinal = -1;          ///< of the backend's devices; -1: none, the rank measures on the host only
  std::string nccl_problem;  ///< why NCCL cannot be used from here; empty when it can
};

/// 22809 for "2.28.9"; 0 when that is no version.
[[nodiscard]] int nccl_version_of(std::string_view text);
/// What keeps this NCCL from being used, from the backend's part "nccl"; empty when nothing does.
[[nodiscard]] std::string nccl_problem_of(const DeviceBackend::Part& part);

/// Collective over the world: gives each rank a GPU of its node and fills gpu_of, gpus_found and gpu of the layout.
[[nodiscard]] GpuChoice place_gpus(Group& world, Placement& placement, const GpuPlugin& plugin);

}  // namespace assay
