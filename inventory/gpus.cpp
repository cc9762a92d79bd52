#include "inventory/gpus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "core/error.hpp"
#include "inventory/nvml/nvml.hpp"
#include "inventory/pci.hpp"

namespace assay {

namespace {

constexpr const char* nvidia_driver = "nvidia";

GpuFacts without_library(const PciDevice& device, GpuState state, std::string problem) {
  GpuFacts gpu;
  gpu.state = state;
  gpu.problem = std::move(problem);
  gpu.name = Fact<std::string>::unknown(gpu.problem);
  gpu.pci_bus_id = device.address;
  return gpu;
}

/// A GPU on the bus that the library does not list.
GpuFacts unlisted(const PciDevice& device, const GpuLibrary& access) {
  if (!device.driver.known()) return without_library(device, GpuState::no_driver, "no kernel driver is bound to it");
  if (device.driver.value() != nvidia_driver)
    return without_library(device, GpuState::no_driver,
                           fmt::format("bound to the kernel driver {}, not to NVIDIA's", device.driver.value()));
  if (access.library == nullptr) return without_library(device, GpuState::hidden, access.why_not);
  nvml::Handle handle = nullptr;
  const int code = access.library->find(device.address, handle);
  const std::string why = access.library->why(access.library->table().handle_by_address.name(), code);
  if (code == nvml::gpu_is_lost) return without_library(device, GpuState::lost, why);
  return without_library(device, GpuState::hidden,
                         "on the PCI bus, but not given to this job or container: " +
                             (code == nvml::success ? std::string("the driver does not list it") : why));
}

void add_place(const SystemRoot& root, GpuFacts& gpu) {
  const PciDevice device = read_pci_device(root, gpu.pci_bus_id);
  const bool there = !device.chain.empty();
  const std::string absent = gpu.pci_bus_id + " is not in /sys/bus/pci/devices";
  gpu.numa_node = there ? device.numa_node : Fact<std::int64_t>::unknown(absent);
  gpu.near_cpus = there ? device.near_cpus : Fact<std::vector<int>>::unknown(absent);
}

/// Cards that the library counts but gives no handle for. As many as are lost on the bus are those; the others are the
/// ones that the library hides, when the numbers fit, or have no place.
void add_refused(std::vector<GpuFacts>& gpus, std::vector<GpuFacts> unlisted, const nvml::Library& library) {
  const auto number_of = [&](GpuState state) {
    return static_cast<std::size_t>(
        std::count_if(unlisted.begin(), unlisted.end(), [&](const GpuFacts& gpu) { return gpu.state == state; }));
  };
  const auto refused = library.refused();
  const std::size_t first = std::min(refused.size(), number_of(GpuState::lost));
  const bool hidden_ones = refused.size() - first == number_of(GpuState::hidden);
  auto next = unlisted.begin();
  for (std::size_t i = first; i < refused.size(); ++i) {
    const std::string why = library.why(library.table().handle.name(), refused[i]);
    const auto state = refused[i] == nvml::gpu_is_lost ? GpuState::lost : GpuState::hidden;
    if (!hidden_ones) {
      gpus.push_back(without_library({}, state, why));
      continue;
    }
    next = std::find_if(next, unlisted.end(), [](const GpuFacts& gpu) { return gpu.state == GpuState::hidden; });
    next->state = state;
    next->problem = why;
    ++next;
  }
  for (GpuFacts& gpu : unlisted) gpus.push_back(std::move(gpu));
}

/// Whether this process lives in the first namespace of process numbers (its inode is fixed, linux/proc_ns.h).
bool sees_all_processes(const SystemRoot& root) {
  std::error_code error;
  const auto name = std::filesystem::read_symlink(root.at("/proc/self/ns/pid"), error);
  return !error && name == "pid:[4026531836]";
}

bool before(const GpuFacts& a, const GpuFacts& b) {
  const auto key = [](const GpuFacts& gpu) { return std::pair(gpu.pci_bus_id.empty(), gpu.pci_bus_id); };
  return key(a) < key(b);
}

}  // namespace

std::string_view to_string(GpuState state) {
  switch (state) {
    case GpuState::ok:
      return "ok";
    case GpuState::lost:
      return "lost";
    case GpuState::no_driver:
      return "no_driver";
    case GpuState::hidden:
      return "hidden";
  }
  return "unknown";
}

GpuLibrary open_gpu_library(const std::string& file) {
  try {
    return {std::make_shared<const nvml::Library>(file), {}};
  } catch (const Error& error) {
    return {nullptr, error.what()};
  }
}

GpuInventory read_gpus(const SystemRoot& root, const GpuLibrary& access) {
  GpuInventory inventory;
  if (access.library != nullptr) {
    inventory.driver = access.library->driver();
    for (const nvml::Handle device : access.library->devices())
      inventory.gpus.push_back(nvml::read_gpu(*access.library, device));
  } else {
    for (auto* fact : {&inventory.driver.driver, &inventory.driver.library, &inventory.driver.cuda})
      *fact = Fact<std::string>::unknown(access.why_not);
  }
  std::vector<GpuFacts> others;
  for (const PciDevice& device : read_pci_gpus(root)) {
    const auto same = [&](const GpuFacts& gpu) { return gpu.pci_bus_id == device.address; };
    if (std::none_of(inventory.gpus.begin(), inventory.gpus.end(), same)) others.push_back(unlisted(device, access));
  }
  if (access.library != nullptr)
    add_refused(inventory.gpus, std::move(others), *access.library);
  else
    inventory.gpus.insert(inventory.gpus.end(), others.begin(), others.end());
  number_by_place(root, inventory.gpus);
  return inventory;
}

void number_by_place(const SystemRoot& root, std::vector<GpuFacts>& gpus) {
  std::stable_sort(gpus.begin(), gpus.end(), before);
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    gpus[i].number = static_cast<int>(i);
    add_place(root, gpus[i]);
  }
}

Fact<std::int64_t> foreign_processes(const SystemRoot& root, const GpuFacts& gpu,
                                     const std::vector<std::int64_t>& own) {
  if (!gpu.processes.known()) return Fact<std::int64_t>::unknown(gpu.processes.why());
  const bool same_numbers = sees_all_processes(root);
  std::int64_t foreign = 0;
  std::int64_t strange = 0;  // numbers that mean nothing here: ours or others'
  for (const GpuProcess& process : gpu.processes.value()) {
    if (std::find(own.begin(), own.end(), process.pid) != own.end()) continue;
    const bool meaningful = same_numbers || root.exists(fmt::format("/proc/{}", process.pid));
    ++(meaningful ? foreign : strange);
  }
  const auto ours = static_cast<std::int64_t>(own.size());
  if (strange > 0 && strange <= ours)
    return Fact<std::int64_t>::unknown(
        fmt::format("{} processes may be ours: the driver numbers them as outside of this container", strange));
  return foreign + std::max<std::int64_t>(0, strange - ours);
}

std::vector<std::string> not_run(const GpuFacts& gpu) {
  std::vector<std::pair<std::string, std::string>> reasons;  // names, why
  const auto look = [&](std::string_view name, const auto& fact) {
    if (fact.known()) return;
    const auto same = [&](const auto& reason) { return reason.second == fact.why(); };
    const auto found = std::find_if(reasons.begin(), reasons.end(), same);
    if (found == reasons.end())
      reasons.emplace_back(name, fact.why());
    else
      found->first += fmt::format(", {}", name);
  };
  if (gpu.state != GpuState::ok) return {"everything: " + gpu.problem};
  for_each_fact(gpu, look);
  look("nvlinks", gpu.nvlinks);
  look("processes", gpu.processes);
  std::vector<std::string> lines;
  for (const auto& [names, why] : reasons) lines.push_back(names + ": " + why);
  return lines;
}

}  // namespace assay
