// PCIe, NVLink and the NVSwitch fabric.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "tests/emulator/nvml/handles.hpp"

namespace emulator::nvml {
namespace {

constexpr Unsigned most_counters = 5;
/// Kinds of device at the other end.
enum Remote : Unsigned { a_gpu = 0, a_switch = 2 };
/// Fields of nvmlDeviceGetFieldValues that are answered.
enum Field : Unsigned {
  crc_flit_total = 38,
  crc_data_total = 45,
  replay_total = 52,
  recovery_total = 59,
  memory_temperature = 82,
  total_energy = 83,
  link_speed_mbps = 90,
  link_count = 91,
  pcie_replays = 94,
  power_instant = 186,
};

/// A card has links as long as its node joins cards by NVLink; dead ones count.
int on_link(void* device, Unsigned link, int (*call)(const Gpu&, Unsigned, void*), void* result) {
  return on_card(
      device,
      [&](const Gpu& gpu) -> int {
        if (gpu.nvlinks.empty()) return not_supported;
        if (link >= gpu.nvlinks.size()) return invalid_argument;
        return call(gpu, link, result);
      },
      result);
}

/// Switches of a node by NVLink generation: 6 of A100's, 4 of H100's, 2 of B200's boards.
unsigned switches(int generation) { return generation <= 3 ? 6 : generation == 4 ? 4 : 2; }

std::string remote_bus_id(const Gpu& gpu, Unsigned link) {
  if (gpu.bridge_peer < 0) {
    return fmt::format("00000000:{:02X}:00.0", 5 + link % switches(gpu.product->nvlink_generation));
  }
  const auto peer =
      std::find_if(cards().begin(), cards().end(), [&](const Gpu& other) { return other.slot == gpu.bridge_peer; });
  return peer == cards().end() ? "" : peer->pci_bus_id;
}

int remote_pci(const Gpu& gpu, Unsigned link, void* result) {
  const auto id = remote_bus_id(gpu, link);
  if (!gpu.nvlinks[link] || id.empty()) return not_supported;
  auto& info = *static_cast<PciInfo*>(result);
  info = {};
  info.bus = static_cast<Unsigned>(std::stoul(id.substr(9, 2), nullptr, 16));
  info.pci_device_id = 0xeeee10de;
  copy_text(id, info.bus_id, sizeof info.bus_id);
  copy_text(std::string_view(id).substr(4), info.bus_id_legacy, sizeof info.bus_id_legacy);
  return success;
}

int number(void* result, Unsigned value) {
  *static_cast<Unsigned*>(result) = value;
  return success;
}

int pcie(void* device, Unsigned* result, int (*which)(const Gpu&, const GpuState&)) {
  return on_card(
      device, [&](const Gpu& gpu) { return number(result, static_cast<Unsigned>(which(gpu, live_state(gpu)))); },
      result);
}

bool in_fabric(const Gpu& gpu) {
  return Cluster::current().this_node().interconnect == Interconnect::nvswitch && gpu.product->nvlink_generation >= 4;
}

void answer(const Gpu& gpu, FieldValue& field) {
  constexpr Unsigned unsigned_int = 1, unsigned_long_long = 3;
  field.timestamp_us =
      std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::system_clock::now().time_since_epoch())
          .count();
  field.latency_us = 0;
  field.result = success;
  field.value_type = unsigned_long_long;
  field.value.wide = 0;
  const bool links = !gpu.nvlinks.empty();
  const auto now = live_state(gpu);
  switch (field.field) {
    case crc_flit_total:
    case crc_data_total:
    case replay_total:
    case recovery_total:
      if (!links) field.result = not_supported;
      return;
    case pcie_replays:
      return;
    case total_energy:
      field.value.wide = static_cast<Wide>(now.busy_seconds * gpu.product->tdp_watts * 1000);
      return;
    default:
      break;
  }
  field.value_type = unsigned_int;
  switch (field.field) {
    case memory_temperature:
      field.value.number = static_cast<Unsigned>(now.temperature_c + 5);
      return;
    case link_speed_mbps:
      field.value.number = static_cast<Unsigned>(gpu.product->nvlink_rate_per_link * 1e-6);
      return;
    case link_count:
      field.value.number = static_cast<Unsigned>(gpu.nvlinks.size());
      return;
    case power_instant:
      field.value.number = static_cast<Unsigned>(now.power_watts * 1000);
      return;
    default:
      field.result = not_supported;
  }
}

}  // namespace
}  // namespace emulator::nvml

using namespace emulator;        // NOLINT: every name here is of the emulator
using namespace emulator::nvml;  // NOLINT

#pragma GCC visibility push(default)
extern "C" {

int nvmlDeviceGetCurrPcieLinkGeneration(void* device, Unsigned* generation) {
  return pcie(device, generation, [](const Gpu&, const GpuState& now) { return now.pcie_gen; });
}
int nvmlDeviceGetCurrPcieLinkWidth(void* device, Unsigned* width) {
  return pcie(device, width, [](const Gpu&, const GpuState& now) { return now.pcie_width; });
}
int nvmlDeviceGetMaxPcieLinkGeneration(void* device, Unsigned* generation) {
  return pcie(device, generation, [](const Gpu& gpu, const GpuState&) { return gpu.pcie_gen_max; });
}
int nvmlDeviceGetMaxPcieLinkWidth(void* device, Unsigned* width) {
  return pcie(device, width, [](const Gpu& gpu, const GpuState&) { return gpu.pcie_width_max; });
}
int nvmlDeviceGetPcieReplayCounter(void* device, Unsigned* count) {
  return pcie(device, count, [](const Gpu&, const GpuState&) { return 0; });
}

int nvmlDeviceGetNvLinkState(void* device, Unsigned link, Unsigned* active) {
  return on_link(
      device, link, [](const Gpu& gpu, Unsigned which, void* to) { return number(to, gpu.nvlinks[which] ? 1 : 0); },
      active);
}
int nvmlDeviceGetNvLinkVersion(void* device, Unsigned link, Unsigned* version) {
  return on_link(
      device, link,
      [](const Gpu& gpu, Unsigned, void* to) {
        return number(to, static_cast<Unsigned>(gpu.product->nvlink_generation));
      },
      version);
}
int nvmlDeviceGetNvLinkRemotePciInfo_v2(void* device, Unsigned link, PciInfo* info) {
  return on_link(device, link, remote_pci, info);
}
int nvmlDeviceGetNvLinkRemotePciInfo(void* device, Unsigned link, PciInfo* info) {
  return on_link(device, link, remote_pci, info);
}
int nvmlDeviceGetNvLinkRemoteDeviceType(void* device, Unsigned link, Unsigned* kind) {
  return on_link(
      device, link,
      [](const Gpu& gpu, Unsigned which, void* to) -> int {
        return gpu.nvlinks[which] ? number(to, gpu.bridge_peer < 0 ? a_switch : a_gpu) : not_supported;
      },
      kind);
}
int nvmlDeviceGetNvLinkCapability(void* device, Unsigned link, Unsigned, Unsigned* able) {
  return on_link(
      device, link, [](const Gpu&, Unsigned, void* to) { return number(to, 1); }, able);
}
int nvmlDeviceGetNvLinkErrorCounter(void* device, Unsigned link, Unsigned counter, Wide* count) {
  if (counter >= most_counters) return invalid_argument;
  return on_link(
      device, link,
      [](const Gpu&, Unsigned, void* to) -> int {
        *static_cast<Wide*>(to) = 0;
        return success;
      },
      count);
}

int nvmlDeviceGetGpuFabricInfo(void* device, FabricInfo* info) {
  constexpr unsigned char not_there = 0, completed = 3;
  return on_card(
      device,
      [&](const Gpu& gpu) {
        *info = {};
        info->state = in_fabric(gpu) ? completed : not_there;
        return success;
      },
      info);
}
int nvmlDeviceGetGpuFabricInfoV(void* device, FabricInfoV* info) {
  return on_card(
      device,
      [&](const Gpu& gpu) -> int {
        constexpr std::size_t second_bytes = 36;
        const bool second = info->version == versioned(second_bytes, 2);
        if (!second && info->version != versioned(sizeof(FabricInfoV), 3)) return version_mismatch;
        FabricInfo plain{};
        const int code = nvmlDeviceGetGpuFabricInfo(device, &plain);
        FabricInfoV full{info->version, {}, plain.status, plain.clique, plain.state, 0, 0};
        full.health_summary = in_fabric(gpu) ? 1 : 0;
        std::memcpy(info, &full, second ? second_bytes : sizeof full);
        return code;
      },
      info);
}

int nvmlDeviceGetFieldValues(void* device, int count, FieldValue* values) {
  return on_card(
      device,
      [&](const Gpu& gpu) {
        for (int i = 0; i < count; ++i) answer(gpu, values[i]);
        return success;
      },
      values);
}

}  // extern "C"
#pragma GCC visibility pop
