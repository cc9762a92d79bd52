#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
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

/// Folders that the loader looks into first, then those of the toolkit and of Python packages.
std::vector<std::filesystem::path> library_folders() {
  std::vector<std::filesystem::path> folders;
  const char* variable = std::getenv("LD_LIBRARY_PATH");
  std::istringstream listed(variable == nullptr ? "" : variable);
  for (std::string folder; std::getline(listed, folder, ':');)
    if (!folder.empty()) folders.emplace_back(folder);
  for (const auto& folder : cuda_library_folders()) folders.push_back(folder);
  return folders;
}

/// Told by its file alone: opening it takes every rank most of a second, and only products need it.
DeviceBackend::Part cublaslt_part() {
  const std::string name = fmt::format("libcublasLt.so.{}", CUDART_VERSION / 1000);
  for (const auto& folder : library_folders()) {
    std::error_code none;
    const std::filesystem::path file = std::filesystem::canonical(folder / name, none);
    if (none) continue;
    const std::string real = file.filename().string();
    const auto at = real.find(".so.");
    return {"cublaslt", at == std::string::npos ? "unknown" : real.substr(at + 4), file.string()};
  }
  return {"cublaslt", "", name + " is in no folder that was looked into; the system's loader may find it"};
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

std::vector<DeviceBackend::Part> CudaBackend::parts() {
  return {runtime_part(), driver_part(), cublaslt_part(), nccl_part()};
}

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
