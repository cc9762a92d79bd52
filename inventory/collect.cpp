#include "inventory/collect.hpp"

#include <gnu/libc-version.h>

#include <filesystem>
#include <set>

#include "inventory/cgroup.hpp"
#include "inventory/cpu.hpp"
#include "inventory/disks.hpp"
#include "inventory/fingerprint.hpp"
#include "inventory/gpu_direct.hpp"
#include "inventory/kernel_log.hpp"
#include "inventory/memory.hpp"
#include "inventory/nics.hpp"
#include "inventory/system.hpp"
#include "inventory/topology.hpp"

namespace assay {
namespace {

SoftwareFacts compiler() {
#if defined(__clang__)
  return {"compiler", __clang_version__, "clang, built this program"};
#else
  return {"compiler", __VERSION__, "gcc, built this program"};
#endif
}

std::string absolute_path(const std::string& path) {
  auto normal = std::filesystem::absolute(path).lexically_normal();
  if (!normal.has_filename() && normal.has_relative_path()) normal = normal.parent_path();  // "/a/." gives "/a/"
  return normal.string();
}

void measure_distances(const SystemRoot& root, NodeFacts& node) {
  node.distances = read_distances(root, node.gpus, node.nics, node.cpu.numa_nodes.value_or(0));
  choose_nics(node.gpus, node.nics, node.distances);
}

}  // namespace

std::vector<SoftwareFacts> read_software(const SystemRoot& root, const std::vector<NicFacts>& nics) {
  std::vector<SoftwareFacts> software{compiler(), {"libc", gnu_get_libc_version(), "glibc"}};
  std::set<std::string> modules{"nvidia", "nvidia_peermem", "lustre"};
  for (const auto& nic : nics) {
    if (nic.driver.known()) modules.insert(nic.driver.value());
  }
  for (const auto& module : modules) {
    const auto version = root.read("/sys/module/" + module + "/version");
    if (version.known()) software.push_back({"module." + module, version.value(), "kernel module"});
  }
  return software;
}

NodeFacts collect_node(const SystemRoot& root, const CollectOptions& options) {
  const auto limits = read_cgroup_limits(root);
  NodeFacts node;
  node.host = root.read("/proc/sys/kernel/hostname");
  const auto topology = read_topology(root);
  node.cpu = read_cpu(root, limits, topology);
  node.memory = read_memory(root, limits);
  node.limits = read_limits(root);
  node.system = read_system(root);
  node.system.clock_cost = clock_cost().value;
  node.nics = read_nics(root);
  std::vector<std::string> paths;
  for (const auto& path : options.paths) paths.push_back(absolute_path(path));
  node.disks = read_disks(root, paths);
  node.software = options.software;
  if (topology.hwloc_version.known()) node.software.push_back({"hwloc", topology.hwloc_version.value(), ""});
  for (auto& entry : read_software(root, node.nics)) node.software.push_back(std::move(entry));
  node.emulated = root.overlaid();
  return node;
}

void add_gpus(const SystemRoot& root, const GpuLibrary& access, NodeFacts& node) {
  GpuInventory inventory = read_gpus(root, access);
  node.gpu_driver = std::move(inventory.driver);
  node.gpus = std::move(inventory.gpus);
  node.emulated = node.emulated || node.gpu_driver.emulated;
  measure_distances(root, node);
  for (auto& entry : read_gpu_direct(root)) node.software.push_back(std::move(entry));
  for (const auto& [name, version] :
       {std::pair("nvidia.driver", &node.gpu_driver.driver), std::pair("nvidia.cuda", &node.gpu_driver.cuda)})
    if (version->known()) node.software.push_back({name, version->value(), node.gpu_driver.file});
  node.xids = read_xids(root);
}

void add_unlisted(const SystemRoot& root, const std::vector<GpuFacts>& gpus, NodeFacts& node) {
  if (gpus.empty()) return;
  node.gpus.insert(node.gpus.end(), gpus.begin(), gpus.end());
  number_by_place(root, node.gpus);
  measure_distances(root, node);
}

}  // namespace assay
