// What a card is, and where it sits.
#include <fmt/format.h>

#include <cstdlib>

#include "tests/emulator/model/noise.hpp"
#include "tests/emulator/nvml/handles.hpp"

namespace {

using namespace emulator;        // NOLINT: every name here is of the emulator
using namespace emulator::nvml;  // NOLINT

constexpr Unsigned nvidia = 0x10de, no_device = 0xeeee0000;

/// Levels of nvmlDeviceGetTopologyCommonAncestor.
enum Ancestor { single_switch = 10, whole_node = 40, whole_system = 50 };

int text_of(void* device, char* to, Unsigned length, const std::string& (*which)(const Gpu&)) {
  return on_card(
      device, [&](const Gpu& gpu) { return copy_text(which(gpu), to, length); }, to);
}

int number_of(void* device, Unsigned* to, Unsigned (*which)(const Gpu&)) {
  return on_card(
      device,
      [&](const Gpu& gpu) {
        *to = which(gpu);
        return success;
      },
      to);
}

void fill(PciInfo& info, const std::string& bus_id) {
  info = {};
  info.bus = static_cast<Unsigned>(std::strtoul(bus_id.c_str() + 9, nullptr, 16));
  info.pci_device_id = no_device | nvidia;
  info.pci_subsystem_id = no_device | nvidia;
  copy_text(bus_id, info.bus_id, sizeof info.bus_id);
  copy_text(std::string_view(bus_id).substr(4), info.bus_id_legacy, sizeof info.bus_id_legacy);
}

int pci_of(void* device, PciInfo* info) {
  return on_card(
      device,
      [&](const Gpu& gpu) {
        fill(*info, gpu.pci_bus_id);
        return success;
      },
      info);
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int nvmlDeviceGetName(void* device, char* name, Unsigned length) {
  return text_of(device, name, length, [](const Gpu& gpu) -> const std::string& { return gpu.shown_name; });
}
int nvmlDeviceGetUUID(void* device, char* uuid, Unsigned length) {
  return text_of(device, uuid, length, [](const Gpu& gpu) -> const std::string& { return gpu.uuid; });
}
int nvmlDeviceGetSerial(void* device, char* serial, Unsigned length) {
  return text_of(device, serial, length, [](const Gpu& gpu) -> const std::string& { return gpu.serial; });
}
int nvmlDeviceGetVbiosVersion(void* device, char* version, Unsigned length) {
  return on_card(
      device, [&](const Gpu&) { return copy_text("00.00.00.00.emulated", version, length); }, version);
}

int nvmlDeviceGetPciInfo_v3(void* device, PciInfo* info) { return pci_of(device, info); }
int nvmlDeviceGetPciInfo_v2(void* device, PciInfo* info) { return pci_of(device, info); }

int nvmlDeviceGetIndex(void* device, Unsigned* index) {
  return number_of(device, index, [](const Gpu& gpu) { return static_cast<Unsigned>(gpu.index); });
}
int nvmlDeviceGetMinorNumber(void* device, Unsigned* minor) { return nvmlDeviceGetIndex(device, minor); }
int nvmlDeviceGetNumaNodeId(void* device, Unsigned* numa) {
  return number_of(device, numa, [](const Gpu& gpu) { return static_cast<Unsigned>(gpu.numa_node); });
}
int nvmlDeviceGetNumGpuCores(void* device, Unsigned* cores) {
  return number_of(device, cores, [](const Gpu& gpu) { return static_cast<Unsigned>(gpu.product->sm_count) * 128U; });
}

int nvmlDeviceGetCudaComputeCapability(void* device, int* major, int* minor) {
  return on_card(
      device,
      [&](const Gpu& gpu) {
        *major = gpu.product->compute_major;
        *minor = gpu.product->compute_minor;
        return success;
      },
      major, minor);
}

int nvmlDeviceGetTopologyCommonAncestor(void* first, void* second, int* level) {
  const Gpu* other = card(second);
  return on_card(
      first,
      [&](const Gpu& gpu) {
        if (other == nullptr) return invalid_argument;
        *level = gpu.bridge == other->bridge         ? single_switch
                 : gpu.numa_node == other->numa_node ? whole_node
                                                     : whole_system;
        if (&gpu == other) *level = 0;
        return success;
      },
      level);
}

int nvmlDeviceGetMigMode(void* device, Unsigned* now, Unsigned* pending) {
  return on_card(
      device,
      [&](const Gpu& gpu) {
        // GA100, GH100 and their successors can be cut in slices; the others have no such mode.
        const auto& product = *gpu.product;
        const bool able = product.compute_minor == 0 && product.compute_major >= 8 && !product.consumer;
        if (!able && !gpu.mig) return not_supported;
        *now = *pending = gpu.mig ? 1 : 0;
        return success;
      },
      now, pending);
}

int nvmlDeviceGetComputeMode(void* device, Unsigned* mode) {
  return number_of(device, mode, [](const Gpu&) { return 0U; });
}
int nvmlDeviceGetPersistenceMode(void* device, Unsigned* mode) {
  return number_of(device, mode, [](const Gpu&) { return 1U; });
}
int nvmlDeviceGetVirtualizationMode(void* device, Unsigned* mode) {
  return number_of(device, mode, [](const Gpu&) { return 0U; });
}

}  // extern "C"
#pragma GCC visibility pop
