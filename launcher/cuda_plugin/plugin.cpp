#include "core/plugin.hpp"

#include "kernels/cuda/device.hpp"
#include "launcher/build_info.hpp"

namespace {

void register_cases(assay::Registry& registry) {
  for (const assay::CaseInfo& info : assay::builtin_cases().cases()) registry.add(info);
}

std::unique_ptr<assay::DeviceBackend> open_backend() { return std::make_unique<assay::cuda::CudaBackend>(); }

}  // namespace

extern "C" __attribute__((visibility("default"))) const assay::Plugin* assay_plugin() {
  static const std::string abi = assay::plugin_abi(assay::build_info().build_id());
  static const assay::Plugin plugin{abi.c_str(), ASSAY_CUDA_BUILT, register_cases, open_backend};
  return &plugin;
}
