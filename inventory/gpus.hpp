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
/// `file`: name for the loader, or a path.
[[nodiscard]] GpuLibrary open_gpu_library(const std::string& file = "libnvidia-ml.so.1");

/// All NVIDIA GPUs of the node: those that the library tells of, and those that are only seen on the PCI bus. About 10
/// ms for each GPU. Nothing is thrown for what cannot be read: facts say why.
[[nodiscard]] GpuInventory read_gpus(const SystemRoot& root, const GpuLibrary& access);

/// Puts GPUs into the order of their PCI addresses, those without one last; sets their numbers and what the kernel
/// knows of their place.
void number_by_place(const SystemRoot& root, std::vector<GpuFacts>& gpus);

/// Processes on a GPU other than `own`. In a container the driver numbers processes differently: the answer is then
/// unknown unless there are more than our own.
[[nodiscard]] Fact<std::int64_t> foreign_processes(const SystemRoot& root, const GpuFacts& gpu,
                                                   const std::vector<std::int64_t>& own);

/// What could not be read of a GPU and why, each reason once: "serial, retired pages: not supported by this GPU".
[[nodiscard]] std::vector<std::string> not_run(const GpuFacts& gpu);

}  // namespace assay
