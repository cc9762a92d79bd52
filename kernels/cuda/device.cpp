#include "kernels/cuda/device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "core/error.hpp"
#include "kernels/cuda/check.hpp"
#include "kernels/cuda/memory.hpp"

namespace assay::cuda {

namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

std::string uuid_text(const cudaUUID_t& uuid) {
  std::string text = "GPU-";
  for (std::size_t i = 0; i < sizeof uuid.bytes; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", static_cast<unsigned char>(uuid.bytes[i]));
  }
  return text;
}

int attribute(cudaDeviceAttr which, int ordinal, const char* name) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, which, ordinal), name);
  return value;
}

/// One sentence and a hint for what keeps the runtime from counting devices.
Error no_devices(cudaError_t code) {
  int runtime = 0;
  int driver = 0;
  ignore(cudaRuntimeGetVersion(&runtime));
  ignore(cudaDriverGetVersion(&driver));
  ignore(cudaGetLastError());
  if (code == cudaErrorInsufficientDriver && driver == 0)
    return environment_error("there is no NVIDIA driver on this node", "install it, or go on without GPUs");
  if (code == cudaErrorInsufficientDriver)
    return environment_error(fmt::format("the NVIDIA driver is too old: it knows CUDA {}, the CUDA runtime is {}",
                                         version_text(driver), version_text(runtime)),
                             "update the driver, or use a runtime of its version or older");
  if (code == cudaErrorStubLibrary)
    return environment_error("libcuda.so.1 is the toolkit's stub, not a driver",
                             "take the toolkit's stubs folder out of LD_LIBRARY_PATH");
  if (code == cudaErrorNoDevice)
    return environment_error("the CUDA driver shows no GPU to this process",
                             "look at CUDA_VISIBLE_DEVICES and at what the job was given");
  if (code == cudaErrorSystemNotReady)
    return environment_error("the GPUs are not initialised as a system yet (802)",
                             "is the NVIDIA fabric manager running, with the driver's version?");
  return environment_error(
      fmt::format("cudaGetDeviceCount: {} ({})", cudaGetErrorString(code), static_cast<int>(code)));
}

DeviceIdentity identity_of(int ordinal) {
  DeviceIdentity identity;
  identity.ordinal = ordinal;
  std::array<char, 32> bus_id{};
  check(cudaDeviceGetPCIBusId(bus_id.data(), static_cast<int>(bus_id.size()), ordinal), "cudaDeviceGetPCIBusId");
  identity.pci_bus_id = lower(bus_id.data());
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, ordinal), "cudaGetDeviceProperties");
  identity.name = properties.name;
  identity.uuid = uuid_text(properties.uuid);
  identity.capability = 10 * properties.major + properties.minor;
  identity.multiprocessors = properties.multiProcessorCount;
  identity.memory_bytes = static_cast<std::int64_t>(properties.totalGlobalMem);
  identity.memory_free_bytes = identity.memory_bytes;
  return identity;
}

}  // namespace

std::string version_text(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

std::vector<DeviceIdentity> visible_devices() {
  int count = 0;
  const cudaError_t code = cudaGetDeviceCount(&count);
  if (code != cudaSuccess) throw no_devices(code);
  std::vector<DeviceIdentity> devices;
  for (int ordinal = 0; ordinal < count; ++ordinal) devices.push_back(identity_of(ordinal));
  return devices;
}

CudaDevice::CudaDevice(DeviceIdentity identity) : identity_(std::move(identity)) {
  make_current();
  check(cudaFree(nullptr), "start of the CUDA context");
  identity_.memory_free_bytes = static_cast<std::int64_t>(free_bytes());
  l2_bytes_ = static_cast<std::size_t>(attribute(cudaDevAttrL2CacheSize, identity_.ordinal, "L2 cache size"));
  stream_ = std::make_unique<Stream>();
}

void CudaDevice::make_current() const {
  set_device_label("GPU " + identity_.pci_bus_id);
  check(cudaSetDevice(identity_.ordinal), "cudaSetDevice");
}

std::size_t CudaDevice::free_bytes() const {
  std::size_t free = 0;
  std::size_t total = 0;
  check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  return free;
}

std::unique_ptr<DeviceMemory> CudaDevice::allocate(std::size_t bytes) { return std::make_unique<Memory>(bytes); }

void CudaDevice::upload(void* device_to, std::span<const std::byte> from) {
  check(cudaMemcpyAsync(device_to, from.data(), from.size(), cudaMemcpyHostToDevice, stream_->get()), "upload");
  stream_->synchronise();
}

void CudaDevice::download(std::span<std::byte> to, const void* device_from) {
  stream_->synchronise();  // the copy itself would wait without an end
  check(cudaMemcpyAsync(to.data(), device_from, to.size(), cudaMemcpyDeviceToHost, stream_->get()), "download");
  stream_->synchronise();
}

void CudaDevice::synchronise() { check(cudaDeviceSynchronize(), "cudaDeviceSynchronize"); }

CudaDevice& cuda_device(Device* device) {
  auto* mine = dynamic_cast<CudaDevice*>(device);
  if (mine == nullptr) throw environment_error("this rank has no GPU");
  return *mine;
}

}  // namespace assay::cuda
