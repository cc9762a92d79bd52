#include "inventory/topology.hpp"

#include <fmt/format.h>
#include <hwloc.h>

#include <cstdlib>
#include <memory>

namespace assay {
namespace {

/// Points hwloc to a made-up tree while it lives.
class HwlocRoot {
 public:
  explicit HwlocRoot(const SystemRoot& root) : planted_(root.path() != "/") {
    if (!planted_) return;
    setenv("HWLOC_FSROOT", root.path().c_str(), 1);
    setenv("HWLOC_COMPONENTS", "linux,stop", 1);
  }
  HwlocRoot(const HwlocRoot&) = delete;
  HwlocRoot& operator=(const HwlocRoot&) = delete;
  ~HwlocRoot() {
    if (!planted_) return;
    unsetenv("HWLOC_FSROOT");
    unsetenv("HWLOC_COMPONENTS");
  }

 private:
  bool planted_;
};

struct DestroyTopology {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using TopologyHandle = std::unique_ptr<hwloc_topology, DestroyTopology>;

TopologyHandle load() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return nullptr;
  TopologyHandle topology(raw);
  hwloc_topology_set_flags(raw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  if (hwloc_topology_load(raw) != 0) return nullptr;
  return topology;
}

Fact<std::int64_t> count(const TopologyHandle& topology, hwloc_obj_type_t type, std::string_view what) {
  const int found = hwloc_get_nbobjs_by_type(topology.get(), type);
  if (found <= 0) return Fact<std::int64_t>::unknown(fmt::format("hwloc finds no {}", what));
  return std::int64_t{found};
}

Fact<std::string> read_version(const TopologyHandle& topology) {
  const char* version = hwloc_obj_get_info_by_name(hwloc_get_root_obj(topology.get()), "hwlocVersion");
  return version != nullptr ? Fact<std::string>(version) : Fact<std::string>::unknown("hwloc does not tell");
}

}  // namespace

Topology read_topology(const SystemRoot& root) {
  const HwlocRoot hwloc_root(root);
  const std::string why = "hwloc cannot read the topology";
  const auto unknown = Fact<std::int64_t>::unknown(why);
  const Topology nothing{unknown, unknown, unknown, Fact<std::string>::unknown(why)};
  // Without this directory hwloc makes a machine up from what the C library knows.
  if (!root.exists("/sys/devices/system/cpu") && !root.exists("/proc/cpuinfo")) return nothing;
  const auto topology = load();
  if (!topology) return nothing;
  return {count(topology, HWLOC_OBJ_PACKAGE, "sockets"), count(topology, HWLOC_OBJ_CORE, "cores"),
          count(topology, HWLOC_OBJ_NUMANODE, "NUMA nodes"), read_version(topology)};
}

}  // namespace assay
