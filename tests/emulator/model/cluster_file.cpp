// Reading of a cluster file: what a healthy cluster looks like.
#include <fmt/format.h>

#include <algorithm>

#include "tests/emulator/model/cluster.hpp"
#include "tests/emulator/model/environment.hpp"
#include "tests/emulator/model/fault_reader.hpp"
#include "tests/emulator/model/limits.hpp"
#include "tests/emulator/model/noise.hpp"
#include "tests/emulator/model/toml_reader.hpp"

namespace emulator {
namespace {

/// Share of a port's rate that large transfers reach: InfiniBand 390 to 396 of 400 Gbit/s, RoCE 370 to 392 of 400, TCP
/// 40 to 96 of 100 (analysis/catalogue/fabrics.toml).
double delivered_share(Transport kind) {
  switch (kind) {
    case Transport::ib:
      return 0.98;
    case Transport::roce:
      return 0.96;
    case Transport::socket:
      return 0.90;
  }
  return 0;
}

/// One [[nodes]] table: nodes that are alike.
struct Group {
  std::vector<std::string> hosts;
  std::string cpu = "Emulated CPU";
  int count = 1, sockets = 2, interconnect = 0;
  double numa_link_rate = 100e9;
  const Product* product = nullptr;
  int gpus = 0, gpus_per_bridge = 1;
  bool nvls = false;
  std::vector<int> gpu_numa;
  int nics = 0, nic_kind = 0;
  double nic_gbit = 0;
  bool gdr = true;
  std::vector<int> nic_near;
};

const std::vector<std::string_view> transports = {"ib", "roce", "socket"};

void read_gpus(TomlTable table, Group& group) {
  std::string id;
  table.read("product", id);
  group.product = find_product(id);
  if (group.product == nullptr) table.fail("product", fmt::format("no id '{}' in the catalogue", id));
  group.gpus = 1;
  table.read("count", group.gpus, 1, limit::gpus);
  group.interconnect = group.product->nvlink_links == 0 || group.product->nvlink_bridge ? 0 : 2;
  table.choose("interconnect", group.interconnect, {"none", "bridge", "nvswitch"});
  if (group.interconnect != 0 && group.product->nvlink_links == 0)
    table.fail("interconnect", "the product has no NVLink");
  // Switches that reduce came with NVLink 4.
  group.nvls = group.interconnect == 2 && group.product->nvlink_generation >= 4;
  table.read("nvls", group.nvls);
  table.read("gpus_per_bridge", group.gpus_per_bridge, 1, limit::gpus);
  table.read("numa", group.gpu_numa, 0, group.sockets - 1);
  if (!group.gpu_numa.empty() && group.gpu_numa.size() != static_cast<std::size_t>(group.gpus)) {
    table.fail("numa", "one number for each GPU is expected");
  }
  table.finish();
}

void read_nics(TomlTable table, Group& group) {
  group.nics = group.gpus > 0 ? group.gpus : 1;
  group.nic_gbit = 400;
  table.read("count", group.nics, 0, limit::nics);
  table.read("rate_gbit", group.nic_gbit, 0.1, 10000);
  table.choose("kind", group.nic_kind, transports);
  table.read("gdr", group.gdr);
  table.read("near_gpu", group.nic_near, -1, std::max(0, group.gpus - 1));
  if (!group.nic_near.empty() && group.nic_near.size() != static_cast<std::size_t>(group.nics)) {
    table.fail("near_gpu", "one number for each NIC is expected, -1 for none");
  }
  table.finish();
}

Group read_group(TomlTable table) {
  Group group;
  table.read("hosts", group.hosts);
  if (!group.hosts.empty()) group.count = static_cast<int>(group.hosts.size());
  table.read("count", group.count, 1, limit::nodes);
  if (!group.hosts.empty() && group.hosts.size() != static_cast<std::size_t>(group.count)) {
    table.fail("count", "'hosts' has another number of names");
  }
  table.read("cpu", group.cpu);
  table.read("sockets", group.sockets, 1, limit::sockets);
  double gbytes = group.numa_link_rate / 1e9;
  table.read("numa_link_gbytes", gbytes, 0.1, 10000);
  group.numa_link_rate = gbytes * 1e9;
  for (auto& gpus : table.table("gpus")) read_gpus(gpus, group);
  for (auto& nics : table.table("nics")) read_nics(nics, group);
  table.finish();
  return group;
}

/// PCI buses are spread over the numbers, so that NICs find room behind the GPU they are near.
int gpu_bus(int slot, int gpus) { return 0x18 + slot * (0xd0 / std::max(8, gpus)); }

std::string uuid_of(int node, int slot) {
  const auto key = mix(static_cast<std::uint64_t>(node), static_cast<std::uint64_t>(slot));
  return fmt::format("GPU-emu{:03}{:02}-{:04x}-{:04x}-{:04x}-{:012x}", node, slot, key & 0xffffU, (key >> 16) & 0xffffU,
                     (key >> 32) & 0xffffU, mix(key) & 0xffffffffffffU);
}

Gpu make_gpu(const Group& group, const Node& node, int slot) {
  Gpu gpu;
  gpu.node = node.index;
  gpu.index = gpu.slot = slot;
  gpu.product = group.product;
  gpu.shown_name = group.product->name;
  gpu.uuid = uuid_of(node.index, slot);
  gpu.serial = fmt::format("EMU{:06}{:02}", node.index, slot);
  gpu.pci_bus_id = fmt::format("00000000:{:02X}:00.0", gpu_bus(slot, group.gpus));
  gpu.sm_count = group.product->sm_count;
  gpu.memory_bytes = group.product->memory_bytes;
  const auto links = static_cast<std::size_t>(group.product->nvlink_links);
  if (node.interconnect == Interconnect::nvswitch) gpu.nvlinks.assign(links, true);
  if (node.interconnect == Interconnect::bridge && (slot ^ 1) < group.gpus) {
    gpu.nvlinks.assign(links, true);
    gpu.bridge_peer = slot ^ 1;
  }
  gpu.pcie_gen = gpu.pcie_gen_max = group.product->pcie_gen;
  gpu.pcie_width = gpu.pcie_width_max = group.product->pcie_lanes;
  gpu.numa_node =
      group.gpu_numa.empty() ? slot * node.sockets / group.gpus : group.gpu_numa[static_cast<std::size_t>(slot)];
  gpu.bridge = slot / group.gpus_per_bridge;
  return gpu;
}

Nic make_nic(const Group& group, const Node& node, int slot) {
  Nic nic;
  nic.node = node.index;
  nic.slot = nic.rail = slot;
  nic.name = fmt::format("mlx5_{}", slot);
  nic.kind = static_cast<Transport>(group.nic_kind);
  nic.rate = nic.full_rate = group.nic_gbit * 1e9;
  nic.delivered = nic.rate / 8 * delivered_share(nic.kind);
  nic.gdr = group.gdr && nic.kind != Transport::socket;
  nic.near_gpu = group.gpus > 0 ? slot * group.gpus / group.nics : -1;
  if (!group.nic_near.empty()) nic.near_gpu = group.nic_near[static_cast<std::size_t>(slot)];
  nic.numa_node = slot * node.sockets / group.nics;
  int bus = 1 + slot;
  if (nic.near_gpu >= 0) {
    nic.numa_node = node.gpus[static_cast<std::size_t>(nic.near_gpu)].numa_node;
    const auto before = std::count_if(node.nics.begin(), node.nics.end(),
                                      [&](const Nic& other) { return other.near_gpu == nic.near_gpu; });
    bus = gpu_bus(nic.near_gpu, group.gpus) + 1 + static_cast<int>(before);
  }
  nic.pci_bus_id = fmt::format("0000:{:02x}:00.0", bus);
  return nic;
}

void add_nodes(const Group& group, std::vector<Node>& nodes) {
  for (int i = 0; i < group.count; ++i) {
    Node node;
    node.index = static_cast<int>(nodes.size());
    node.host = group.hosts.empty() ? fmt::format("node{:02}", node.index) : group.hosts[static_cast<std::size_t>(i)];
    node.cpu = group.cpu;
    node.sockets = group.sockets;
    node.numa_link_rate = group.numa_link_rate;
    node.interconnect = static_cast<Interconnect>(group.interconnect);
    node.nvls = group.nvls;
    node.gpu_slots = group.gpus;
    for (int slot = 0; slot < group.gpus; ++slot) node.gpus.push_back(make_gpu(group, node, slot));
    for (int slot = 0; slot < group.nics; ++slot) node.nics.push_back(make_nic(group, node, slot));
    nodes.push_back(std::move(node));
  }
}

void read_fabric(TomlTable table, Fabric& fabric) {
  int transport = static_cast<int>(fabric.transport);
  table.choose("transport", transport, transports);
  fabric.transport = static_cast<Transport>(transport);
  table.read("rail_optimised", fabric.rail_optimised);
  table.read("oversubscription", fabric.oversubscription, 1, 1000);
  table.read("sharp", fabric.sharp);
  double microseconds = fabric.latency_seconds * 1e6;
  table.read("latency_us", microseconds, 0, 1e6);
  fabric.latency_seconds = microseconds * 1e-6;
  table.finish();
}

}  // namespace

/// Fills a Cluster from a file, and from a second one laid over it.
class ClusterReader {
 public:
  Cluster read(const std::filesystem::path& file, const std::filesystem::path& overlay) {
    const auto base = parse_toml(file);
    cluster_.name_ = file.stem().string();
    TomlTable root(base, file.string());
    for (auto& table : root.tables("nodes")) add_nodes(read_group(table), cluster_.nodes_);
    if (cluster_.nodes_.empty()) root.fail("nodes", "a cluster has at least one [[nodes]] table");
    if (cluster_.nodes_.size() > limit::nodes) root.fail("nodes", fmt::format("more than {} nodes", limit::nodes));
    take_name_of_nics();
    read_rest(root);
    if (!overlay.empty()) {
      const auto second = parse_toml(overlay);
      read_rest(TomlTable(second, overlay.string()));
    }
    apply_faults(faults_, cluster_.nodes_, cluster_.fabric_);
    return std::move(cluster_);
  }

 private:
  /// Unless the file says otherwise, the fabric is used as the kind of its NICs.
  void take_name_of_nics() {
    for (const auto& node : cluster_.nodes_) {
      if (!node.nics.empty()) cluster_.fabric_.transport = node.nics.front().kind;
    }
  }

  void read_rest(TomlTable root) {
    root.read("name", cluster_.name_);
    root.read("seed", cluster_.seed_);
    root.read("noise_sigma", cluster_.noise_sigma_, 0, 1);
    int device = cluster_.zero_time_ ? 1 : 0;
    root.choose("device", device, {"timed", "zero"});
    cluster_.zero_time_ = device == 1;
    for (auto& table : root.table("fabric")) read_fabric(table, cluster_.fabric_);
    for (auto& table : root.tables("fault")) faults_.push_back(read_fault(table, cluster_.nodes_));
    root.finish();
  }

  Cluster cluster_;
  std::vector<Fault> faults_;
};

Cluster Cluster::read(const std::filesystem::path& file, const std::filesystem::path& overlay) {
  return ClusterReader().read(file, overlay);
}

}  // namespace emulator
