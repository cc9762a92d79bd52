#include "tests/emulator/cuda/properties.hpp"

#include <algorithm>
#include <cstdio>
#include <map>

#include "tests/emulator/cuda/errors.hpp"
#include "tests/emulator/model/noise.hpp"

namespace emulator {
namespace {

constexpr int kilobyte = 1024;

/// Of the memory's kind: HBM has 1024 bits a stack, GDDR is taken from the rate.
int bus_width(const Product& product) {
  const bool stacked = product.memory_rate > 1.3e12 && product.memory_mhz > 0;
  const double bits = product.memory_mhz > 0 ? product.memory_rate * 8 / (product.memory_mhz * 1e6 * 2) : 0;
  const int step = stacked ? 1024 : 64;
  return std::max(step, static_cast<int>(bits / step + 0.5) * step);
}

struct PciAddress {
  unsigned domain = 0, bus = 0, device = 0;
};

PciAddress pci_address(const Gpu& gpu) {
  PciAddress address;
  std::sscanf(gpu.pci_bus_id.c_str(), "%x:%x:%x", &address.domain, &address.bus, &address.device);
  return address;
}

bool is(const Gpu& gpu, int major, int minor) {
  return gpu.product->compute_major == major && gpu.product->compute_minor == minor;
}

/// Attributes that are the same for every card that the catalogue knows.
const std::map<int, int>& common_attributes() {
  static const std::map<int, int> values = {
      {cudaDevAttrMaxThreadsPerBlock, limits::threads_per_block},
      {cudaDevAttrMaxBlockDimX, limits::block[0]},
      {cudaDevAttrMaxBlockDimY, limits::block[1]},
      {cudaDevAttrMaxBlockDimZ, limits::block[2]},
      {cudaDevAttrMaxGridDimX, limits::grid[0]},
      {cudaDevAttrMaxGridDimY, limits::grid[1]},
      {cudaDevAttrMaxGridDimZ, limits::grid[2]},
      {cudaDevAttrMaxSharedMemoryPerBlock, limits::shared_memory_default},
      {cudaDevAttrTotalConstantMemory, 64 * kilobyte},
      {cudaDevAttrWarpSize, 32},
      {cudaDevAttrMaxPitch, 2147483647},
      {cudaDevAttrMaxRegistersPerBlock, 65536},
      {cudaDevAttrTextureAlignment, 512},
      {cudaDevAttrTexturePitchAlignment, 32},
      {cudaDevAttrGpuOverlap, 1},
      {cudaDevAttrKernelExecTimeout, 0},
      {cudaDevAttrIntegrated, 0},
      {cudaDevAttrCanMapHostMemory, 1},
      {cudaDevAttrComputeMode, cudaComputeModeDefault},
      {cudaDevAttrConcurrentKernels, 1},
      {cudaDevAttrTccDriver, 0},
      {cudaDevAttrAsyncEngineCount, 3},
      {cudaDevAttrUnifiedAddressing, 1},
      {cudaDevAttrStreamPrioritiesSupported, 1},
      {cudaDevAttrGlobalL1CacheSupported, 1},
      {cudaDevAttrLocalL1CacheSupported, 1},
      {cudaDevAttrMaxRegistersPerMultiprocessor, 65536},
      {cudaDevAttrManagedMemory, 1},
      {cudaDevAttrIsMultiGpuBoard, 0},
      {cudaDevAttrMultiGpuBoardGroupID, 0},
      {cudaDevAttrHostNativeAtomicSupported, 0},
      {cudaDevAttrPageableMemoryAccess, 0},
      {cudaDevAttrConcurrentManagedAccess, 1},
      {cudaDevAttrComputePreemptionSupported, 1},
      {cudaDevAttrCanUseHostPointerForRegisteredMem, 1},
      {cudaDevAttrCooperativeLaunch, 1},
      {cudaDevAttrHostRegisterSupported, 1},
      {cudaDevAttrPageableMemoryAccessUsesHostPageTables, 0},
      {cudaDevAttrDirectManagedMemAccessFromHost, 0},
      {cudaDevAttrReservedSharedMemoryPerBlock, kilobyte},
      {cudaDevAttrSparseCudaArraySupported, 1},
      {cudaDevAttrHostRegisterReadOnlySupported, 0},
      {cudaDevAttrTimelineSemaphoreInteropSupported, 1},
      {cudaDevAttrMemoryPoolsSupported, 1},
      {cudaDevAttrIpcEventSupport, 1},
      {cudaDevAttrNumaConfig, cudaDeviceNumaConfigNone},
      {cudaDevAttrMpsEnabled, 0},
  };
  return values;
}

/// The UUID's digits as bytes; what is no digit in the emulator's UUIDs gives its low bits.
void write_uuid(const Gpu& gpu, cudaUUID_t& uuid) {
  std::size_t digit = 0;
  for (const char letter : gpu.uuid.substr(std::min<std::size_t>(4, gpu.uuid.size()))) {
    if (letter == '-' || digit >= 2 * sizeof uuid.bytes) continue;
    const int value = letter <= '9' ? letter - '0' : (letter | 0x20) - 'a' + 10;
    char& byte = uuid.bytes[digit / 2];
    byte = static_cast<char>((digit % 2 == 0 ? 0 : byte) | ((value & 0xf) << (digit % 2 == 0 ? 4 : 0)));
    ++digit;
  }
}

}  // namespace

int shared_memory_per_multiprocessor(const Gpu& gpu) {
  if (is(gpu, 8, 6) || is(gpu, 8, 9) || gpu.product->compute_major == 12) return 100 * kilobyte;
  return (gpu.product->compute_major >= 9 ? 228 : 164) * kilobyte;
}

int shared_memory_opt_in(const Gpu& gpu) { return shared_memory_per_multiprocessor(gpu) - kilobyte; }

int threads_per_multiprocessor(const Gpu& gpu) {
  return is(gpu, 8, 6) || is(gpu, 8, 9) || gpu.product->compute_major == 12 ? 1536 : 2048;
}

int attribute_of(const Gpu& gpu, cudaDeviceAttr attribute) {
  const Product& product = *gpu.product;
  const PciAddress address = pci_address(gpu);
  switch (attribute) {
    case cudaDevAttrClockRate:
      return static_cast<int>(product.max_sm_mhz * 1000);
    case cudaDevAttrMemoryClockRate:
      return static_cast<int>(product.memory_mhz * 1000);
    case cudaDevAttrMultiProcessorCount:
      return gpu.sm_count;
    case cudaDevAttrEccEnabled:
      return product.consumer ? 0 : 1;
    case cudaDevAttrPciBusId:
      return static_cast<int>(address.bus);
    case cudaDevAttrPciDeviceId:
      return static_cast<int>(address.device);
    case cudaDevAttrPciDomainId:
      return static_cast<int>(address.domain);
    case cudaDevAttrGlobalMemoryBusWidth:
      return bus_width(product);
    case cudaDevAttrL2CacheSize:
      return static_cast<int>(product.l2_bytes);
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      return threads_per_multiprocessor(gpu);
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      return shared_memory_per_multiprocessor(gpu);
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      return shared_memory_opt_in(gpu);
    case cudaDevAttrMaxBlocksPerMultiprocessor:
      return is(gpu, 8, 6) ? 16 : is(gpu, 8, 9) ? 24 : 32;
    case cudaDevAttrComputeCapabilityMajor:
      return product.compute_major;
    case cudaDevAttrComputeCapabilityMinor:
      return product.compute_minor;
    case cudaDevAttrSingleToDoublePrecisionPerfRatio:
      return product.peak(Type::fp64) > 0 ? static_cast<int>(product.peak(Type::fp32) / product.peak(Type::fp64) + 0.5)
                                          : 64;
    case cudaDevAttrClusterLaunch:
      return product.compute_major >= 9 ? 1 : 0;
    case cudaDevAttrGPUDirectRDMASupported:
      return product.consumer ? 0 : 1;
    case cudaDevAttrHostNumaId:
      return gpu.numa_node;
    case cudaDevAttrNumaId:
      return -1;
    default:
      break;
  }
  const auto found = common_attributes().find(attribute);
  require(found != common_attributes().end());
  return found->second;
}

cudaDeviceProp properties_of(const Gpu& gpu) {
  const auto get = [&](cudaDeviceAttr attribute) { return attribute_of(gpu, attribute); };
  cudaDeviceProp properties{};
  std::snprintf(properties.name, sizeof properties.name, "%s", gpu.shown_name.c_str());
  write_uuid(gpu, properties.uuid);
  properties.totalGlobalMem = gpu.memory_bytes;
  properties.sharedMemPerBlock = limits::shared_memory_default;
  properties.regsPerBlock = properties.regsPerMultiprocessor = get(cudaDevAttrMaxRegistersPerBlock);
  properties.warpSize = get(cudaDevAttrWarpSize);
  properties.memPitch = static_cast<std::size_t>(get(cudaDevAttrMaxPitch));
  properties.maxThreadsPerBlock = get(cudaDevAttrMaxThreadsPerBlock);
  std::copy(std::begin(limits::block), std::end(limits::block), properties.maxThreadsDim);
  std::copy(std::begin(limits::grid), std::end(limits::grid), properties.maxGridSize);
  properties.totalConstMem = static_cast<std::size_t>(get(cudaDevAttrTotalConstantMemory));
  properties.major = get(cudaDevAttrComputeCapabilityMajor);
  properties.minor = get(cudaDevAttrComputeCapabilityMinor);
  properties.textureAlignment = static_cast<std::size_t>(get(cudaDevAttrTextureAlignment));
  properties.texturePitchAlignment = static_cast<std::size_t>(get(cudaDevAttrTexturePitchAlignment));
  properties.multiProcessorCount = get(cudaDevAttrMultiProcessorCount);
  properties.canMapHostMemory = properties.concurrentKernels = properties.unifiedAddressing = 1;
  properties.ECCEnabled = get(cudaDevAttrEccEnabled);
  properties.pciBusID = get(cudaDevAttrPciBusId);
  properties.pciDeviceID = get(cudaDevAttrPciDeviceId);
  properties.pciDomainID = get(cudaDevAttrPciDomainId);
  properties.asyncEngineCount = get(cudaDevAttrAsyncEngineCount);
  properties.memoryBusWidth = get(cudaDevAttrGlobalMemoryBusWidth);
  properties.l2CacheSize = get(cudaDevAttrL2CacheSize);
  properties.maxThreadsPerMultiProcessor = get(cudaDevAttrMaxThreadsPerMultiProcessor);
  properties.streamPrioritiesSupported = properties.globalL1CacheSupported = properties.localL1CacheSupported = 1;
  properties.sharedMemPerMultiprocessor = static_cast<std::size_t>(shared_memory_per_multiprocessor(gpu));
  properties.sharedMemPerBlockOptin = static_cast<std::size_t>(shared_memory_opt_in(gpu));
  properties.reservedSharedMemPerBlock = static_cast<std::size_t>(get(cudaDevAttrReservedSharedMemoryPerBlock));
  properties.managedMemory = properties.concurrentManagedAccess = properties.computePreemptionSupported = 1;
  properties.canUseHostPointerForRegisteredMem = properties.cooperativeLaunch = properties.hostRegisterSupported = 1;
  properties.maxBlocksPerMultiProcessor = get(cudaDevAttrMaxBlocksPerMultiprocessor);
  properties.memoryPoolsSupported = properties.ipcEventSupported = 1;
  properties.gpuDirectRDMASupported = get(cudaDevAttrGPUDirectRDMASupported);
  properties.clusterLaunch = get(cudaDevAttrClusterLaunch);
  properties.deviceNumaId = get(cudaDevAttrNumaId);
  properties.hostNumaId = get(cudaDevAttrHostNumaId);
  return properties;
}

}  // namespace emulator
