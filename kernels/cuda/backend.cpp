#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "core/error.hpp"
#include "inventory/shared_library.hpp"
#include "kernels/cuda/check.hpp"
#include "kernels/cuda/device.hpp"

namespace assay::cuda {

namespace {

/// Symbol that a CUDA runtime modelled in software exports.
constexpr const char* emulation_mark = "assay_emulated";
constexpr std::string_view emulated_uuid = "GPU-emu";

/// File that the CUDA runtime in use came from.
std::string runtime_file() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&cudaGetDeviceCount), &info) == 0 || info.dli_fname == nullptr) return {};
  return info.dli_fname;
}

DeviceBackend::Part runtime_part() {
  int version = 0;
  ignore(cudaRuntimeGetVersion(&version));
  return {"cuda.runtime", version_text(version), runtime_file()};
}

DeviceBackend::Part driver_part() {
  int version = 0;
  ignore(cudaDriverGetVersion(&version));
  if (version == 0) return {"cuda.driver", "", "no driver"};
  return {"cuda.driver", version_text(version), ""};
}

/// NCCL's own number is 10000 * major + 100 * minor + patch.
DeviceBackend::Part nccl_part() {
  try {
    const SharedLibrary library = SharedLibrary::open({"libnccl.so.2", "libnccl.so"}, cuda_library_folders());
    const auto get_version = library.find<int (*)(int*)>("ncclGetVersion");
    int version = 0;
    if (get_version == nullptr || get_version(&version) != 0)
      return {"nccl", "", library.file() + " does not tell its version"};
    return {"nccl", fmt::format("{}.{}.{}", version / 10000, version % 10000 / 100, version % 100), library.file()};
  } catch (const Error& error) {
    return {"nccl", "", error.what()};
  }
}

}  // namespace

std::unique_ptr<Device> CudaBackend::open(int ordinal) {
  const std::vector<DeviceIdentity> all = visible_devices();
  if (ordinal < 0 || ordinal >= static_cast<int>(all.size()))
    throw environment_error(fmt::format("there is no GPU {} in this process; {} are visible", ordinal, all.size()));
  return std::make_unique<CudaDevice>(all[static_cast<std::size_t>(ordinal)]);
}

std::vector<DeviceBackend::Part> CudaBackend::parts() { return {runtime_part(), driver_part(), nccl_part()}; }

bool CudaBackend::emulated() const {
  const SharedLibrary runtime = SharedLibrary::open({runtime_file()});
  if (runtime.find(emulation_mark) != nullptr) return true;
  try {
    const auto all = visible_devices();
    return std::any_of(all.begin(), all.end(),
                       [](const DeviceIdentity& device) { return device.uuid.starts_with(emulated_uuid); });
  } catch (const Error&) {
    return false;
  }
}

}  // namespace assay::cuda
