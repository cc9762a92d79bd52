#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/device.hpp"
#include "core/group.hpp"
#include "inventory/gpu_facts.hpp"
#include "launcher/run/gpu_plugin.hpp"
#include "launcher/run/options.hpp"
#include "launcher/run/placement.hpp"

namespace assay {

/// The GPU that this rank works with, or why it has none.
struct GpuPlacement {
  std::unique_ptr<Device> device;
  std::string why_not;       ///< one sentence; empty with a device
  std::string nic;           ///< nearest to the GPU; empty: none or not known
  std::string nccl_problem;  ///< why NCCL cannot be used from here; empty when it can
  /// The GPUs of the node that CUDA shows to its ranks but the inventory does not, by PCI address.
  std::vector<GpuFacts> unlisted;
};

/// Collective over the world: gives each rank a GPU of its node, opens it, and fills gpu_of, gpus_found and gpu of the
/// layout and the rank's share of CPUs (near its GPU). `gpus`: of the node by its inventory, on its first rank.
/// Throws the same Error on all ranks: bad_input when the launcher has put ranks on one GPU and sharing was not asked
/// for, environment when a GPU was required and a rank has none.
[[nodiscard]] GpuPlacement place_gpus(Group& world, Placement& placement, const GpuPlugin& plugin,
                                      const RunOptions& options, const std::vector<GpuFacts>& gpus,
                                      const std::vector<int>& bound_cpus);

}  // namespace assay
