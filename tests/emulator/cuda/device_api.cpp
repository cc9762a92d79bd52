// Devices: which there are, what they are, what may be reached from them.
#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstring>

#include "tests/emulator/cuda/errors.hpp"
#include "tests/emulator/cuda/process.hpp"
#include "tests/emulator/cuda/properties.hpp"
#include "tests/emulator/model/routes.hpp"

using namespace emulator;

namespace {

std::uint64_t bit(int ordinal) { return std::uint64_t{1} << ordinal; }

/// Domain, bus and device of "00000000:1B:00.0".
struct PciAddress {
  unsigned domain = 0, bus = 0, device = 0;
  explicit PciAddress(const std::string& id) { std::sscanf(id.c_str(), "%x:%x:%x", &domain, &bus, &device); }
  bool operator==(const PciAddress&) const = default;
};

}  // namespace

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  return api(Needs::driver, host_cost::trivial, [&] {
    require(count != nullptr);
    *count = static_cast<int>(process().devices().size());
  });
}

cudaError_t cudaSetDevice(int device) {
  return api(Needs::driver, host_cost::trivial, [&] {
    process().device(device);
    Process::set_current(device);
    check(Needs::device);
  });
}

cudaError_t cudaInitDevice(int device, unsigned, unsigned) {
  return api(Needs::driver, host_cost::create, [&] { process().device(device); });
}

cudaError_t cudaGetDevice(int* device) {
  return api(Needs::driver, host_cost::trivial, [&] {
    require(device != nullptr);
    *device = Process::current_ordinal();
  });
}

cudaError_t cudaSetDeviceFlags(unsigned) {
  return api(Needs::driver, host_cost::trivial, [] {});
}

cudaError_t cudaGetDeviceFlags(unsigned* flags) {
  return api(Needs::driver, host_cost::trivial, [&] { *flags = cudaDeviceMapHost; });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  return api(Needs::driver, host_cost::create, [&] {
    require(properties != nullptr);
    *properties = properties_of(*process().device(device).gpu);
  });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  return api(Needs::driver, host_cost::trivial, [&] {
    require(value != nullptr);
    *value = attribute_of(*process().device(device).gpu, attribute);
  });
}

cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int device) {
  return api(Needs::driver, host_cost::trivial, [&] {
    const std::string& id = process().device(device).gpu->pci_bus_id;
    require(text != nullptr && length > 12);
    // CUDA writes a domain of four digits, NVML one of eight.
    const PciAddress address(id);
    std::snprintf(text, static_cast<std::size_t>(length), "%04X:%02X:%02X.0", address.domain, address.bus,
                  address.device);
  });
}

cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* text) {
  return api(Needs::driver, host_cost::trivial, [&] {
    require(device != nullptr && text != nullptr);
    for (const Device& candidate : process().devices()) {
      if (PciAddress(candidate.gpu->pci_bus_id) == PciAddress(text)) {
        *device = candidate.ordinal;
        return;
      }
    }
    throw ApiError(cudaErrorInvalidValue);
  });
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return api(Needs::driver, host_cost::trivial, [&] {
    require(can != nullptr);
    const Gpu& from = *process().device(device).gpu;
    const Gpu& to = *process().device(peer).gpu;
    *can = device != peer && peer_possible(from, to) ? 1 : 0;
  });
}

cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr attribute, int source, int destination) {
  return api(Needs::driver, host_cost::trivial, [&] {
    const Gpu& from = *process().device(source).gpu;
    const Gpu& to = *process().device(destination).gpu;
    require(value != nullptr && source != destination, cudaErrorInvalidDevice);
    const bool possible = peer_possible(from, to), nvlink = possible && nvlinks_between(from, to) > 0;
    switch (attribute) {
      case cudaDevP2PAttrPerformanceRank:
        *value = nvlink ? 0 : 1;
        break;
      case cudaDevP2PAttrAccessSupported:
        *value = possible ? 1 : 0;
        break;
      case cudaDevP2PAttrNativeAtomicSupported:
        *value = nvlink ? 1 : 0;
        break;
      case cudaDevP2PAttrCudaArrayAccessSupported:
        *value = possible ? 1 : 0;
        break;
      default:
        throw ApiError(cudaErrorInvalidValue);
    }
  });
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  return api(Needs::device, host_cost::allocate, [&] {
    Device& own = process().current();
    Device& other = process().device(peer);
    require(flags == 0);
    require(&own != &other && peer_possible(*own.gpu, *other.gpu), cudaErrorPeerAccessUnsupported);
    require((own.peers.fetch_or(bit(peer)) & bit(peer)) == 0, cudaErrorPeerAccessAlreadyEnabled);
  });
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  return api(Needs::device, host_cost::allocate, [&] {
    process().device(peer);
    require((process().current().peers.fetch_and(~bit(peer)) & bit(peer)) != 0, cudaErrorPeerAccessNotEnabled);
  });
}

cudaError_t cudaDeviceSynchronize() {
  return api(Needs::device, host_cost::synchronize, [] {
    Device& device = process().current();
    process().raise(process().scheduler().finish(device));
    check(Needs::device);
  });
}

cudaError_t cudaDeviceReset() {
  return api(Needs::driver, host_cost::allocate, [] {
    Device& device = process().current();
    process().scheduler().finish(device);
    process().deliveries().release_all();
    device.peers = 0;
    check(Needs::device);
  });
}

cudaError_t cudaDriverGetVersion(int* version) {
  return api(Needs::nothing, host_cost::trivial, [&] {
    require(version != nullptr);
    *version = process().driver_version();
  });
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  return api(Needs::nothing, host_cost::trivial, [&] {
    require(version != nullptr);
    *version = CUDART_VERSION;
  });
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return api(Needs::device, host_cost::trivial, [&] {
    if (least != nullptr) *least = 0;
    if (greatest != nullptr) *greatest = -5;
  });
}

cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit limit) {
  return api(Needs::device, host_cost::trivial, [&] {
    require(value != nullptr);
    require(limit == cudaLimitStackSize || limit == cudaLimitPrintfFifoSize || limit == cudaLimitMallocHeapSize,
            cudaErrorUnsupportedLimit);
    *value = limit == cudaLimitStackSize ? 1024 : std::size_t{8} << 20;
  });
}

cudaError_t cudaDeviceSetLimit(cudaLimit, std::size_t) {
  return api(Needs::device, host_cost::trivial, [] {});
}

cudaError_t cudaMemGetInfo(std::size_t* available, std::size_t* total) {
  return api(Needs::device, host_cost::query, [&] {
    require(available != nullptr && total != nullptr);
    const Gpu& gpu = *process().current().gpu;
    *available = Arena::available(gpu);
    *total = gpu.memory_bytes;
  });
}

cudaError_t cudaProfilerStart() {
  return api(Needs::nothing, host_cost::trivial, [] {});
}

cudaError_t cudaProfilerStop() {
  return api(Needs::nothing, host_cost::trivial, [] {});
}
}
