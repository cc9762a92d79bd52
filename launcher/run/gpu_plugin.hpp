#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/device.hpp"
#include "core/registry.hpp"

namespace assay {

/// Where the plug-in is looked for: beside the program, and in ../lib/assay of it.
[[nodiscard]] std::vector<std::filesystem::path> plugin_folders();

/// The library with everything that needs CUDA or NCCL, libassay_cuda.so, opened at run time: one program serves nodes
/// with and without GPUs.
class GpuPlugin {
 public:
  /// Opens the plug-in and adds its cases to the registry, once per registry. Without it, or without usable GPUs,
  /// nothing is thrown: why_not() says the reason in one sentence.
  [[nodiscard]] static GpuPlugin load(Registry& registry,
                                      const std::vector<std::filesystem::path>& folders = plugin_folders());

  /// None at all, for the given reason.
  [[nodiscard]] static GpuPlugin none(std::string why);

  [[nodiscard]] bool loaded() const { return !built_.empty(); }
  /// nullptr when there is no plug-in, no driver or no GPU.
  [[nodiscard]] DeviceBackend* backend() const { return backend_.get(); }
  [[nodiscard]] const std::string& why_not() const { return why_not_; }
  /// "CUDA 13.0 for sm_90"; empty when not loaded.
  [[nodiscard]] const std::string& built() const { return built_; }
  [[nodiscard]] const std::vector<DeviceIdentity>& devices() const { return devices_; }

 private:
  void open(Registry& registry, const std::vector<std::filesystem::path>& folders);

  std::unique_ptr<DeviceBackend> backend_;
  std::vector<DeviceIdentity> devices_;
  std::string built_;
  std::string why_not_;
};

}  // namespace assay
