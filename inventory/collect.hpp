#pragma once

#include <string>
#include <vector>

#include "inventory/facts.hpp"
#include "inventory/gpus.hpp"
#include "inventory/system_root.hpp"

namespace assay {

struct CollectOptions {
  std::vector<std::string> paths;       ///< test directories whose disks are wanted; relative to the current one
  std::vector<SoftwareFacts> software;  ///< what other parts of the program know: MPI, BLAS, HDF5
};

/// Adds what concerns GPUs and the way to them: GPUs, distances, nearest NICs, GPUDirect, the driver's errors in the
/// kernel's log. The node's NICs and CPUs must be there. Starting the driver's library takes up to a second where no
/// driver process keeps it awake.
void add_gpus(const SystemRoot& root, const GpuLibrary& access, NodeFacts& node);

/// Adds GPUs that something else than the inventory has found, in the order of PCI addresses, and numbers all anew.
void add_unlisted(const SystemRoot& root, const std::vector<GpuFacts>& gpus, NodeFacts& node);

/// All facts about the node that `root` shows; some 10 ms on a small node. What cannot be read is unknown, never an
/// error.
[[nodiscard]] NodeFacts collect_node(const SystemRoot& root, const CollectOptions& options = {});

/// Compiler and C library of this program, and the versions of the kernel modules behind NICs, GPUs and Lustre.
[[nodiscard]] std::vector<SoftwareFacts> read_software(const SystemRoot& root, const std::vector<NicFacts>& nics);

}  // namespace assay
