#pragma once

#include <memory>
#include <string>

#include "inventory/gpu_facts.hpp"
#include "inventory/system_root.hpp"

namespace assay {

namespace nvml {
class Library;
}

/// NVIDIA's management library, or why there is none.
struct GpuLibrary {
  std::shared_ptr<const nvml::Library> library;
  std::string why_not;  ///< one sentence; empty when there is one
};
[[nodiscard]] GpuLibrary open_gpu_library();

/// All NVIDIA GPUs of the node: those that the library tells of, and those that are only seen on the PCI bus. About 10
/// ms for each GPU. Nothing is thrown for what cannot be read: facts say why.
[[nodiscard]] GpuInventory read_gpus(const SystemRoot& root, const GpuLibrary& access);

/// What could not be read of a GPU and why, each reason once: "serial, retired pages: not supported by this GPU".
[[nodiscard]] std::vector<std::string> not_run(const GpuFacts& gpu);

}  // namespace assay
