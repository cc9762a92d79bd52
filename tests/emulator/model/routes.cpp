#include "tests/emulator/model/routes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tests/emulator/model/limits.hpp"

namespace emulator {
namespace {

/// Pinned copies of one direction over 16 lanes [B/s], by generation. 3 to 6: analysis/catalogue/fabrics.toml
/// (achieved), 4: 25.9 (mean of 729 A100 nodes) to 26.3; 5: 55.4; 1 and 2: raw rate in the proportion of generation 3.
constexpr std::array<double, 7> pcie_x16 = {0, 3.2e9, 6.4e9, 12.8e9, 26e9, 55e9, 105e9};
/// Device to host: 25.95 against 25.90 (A100), 55.1 against 55.4 (H200): no difference to speak of.
constexpr double to_host_factor = 0.997;
/// A copy engine's share of NVLink's rate, by generation: 2 as 3; 3: 274 of 300 (A100); 4: 376 to 396 of 450 (H100,
/// H200); 5: 746 to 770 of 900 (GB200).
constexpr std::array<double, 7> nvlink_share = {0, 0.90, 0.91, 0.913, 0.87, 0.845, 0.845};
/// Peer copies over PCIe reach 24 of 26 GB/s; the acknowledgements of the other card cost the rest. An assumption.
constexpr double pcie_peer_share = 0.92;
/// Through host memory each byte crosses twice; driver staging overlaps the two badly: 13 of 26 GB/s (RTX 4090).
constexpr double staged_share = 0.5;
/// Copies from the far socket lose 10 to 40 % (fabrics.toml); the mild end.
constexpr double far_socket_share = 0.85;

constexpr double pcie_latency = 1.2e-6, nvlink_latency = 1.0e-6, bridge_latency = 0.3e-6, socket_latency = 0.4e-6;

/// Numbers of a node's resources: blocks of fixed size, so that they mean the same in every process.
enum Block { pcie_in, pcie_out, bridge_in, bridge_out, nvlink_in, nvlink_out, nic_in, nic_out, sockets, block_count };
constexpr std::array<int, block_count> block_sizes = {limit::gpus, limit::gpus, limit::gpus,
                                                      limit::gpus, limit::gpus, limit::gpus,
                                                      limit::nics, limit::nics, limit::sockets* limit::sockets};
constexpr std::array<std::string_view, block_count> block_names = {
    "gpu {} pcie in",    "gpu {} pcie out", "bridge {} in", "bridge {} out", "gpu {} nvlink in",
    "gpu {} nvlink out", "nic {} in",       "nic {} out",   "socket pair {}"};

constexpr int block_start(int block) {
  int start = 0;
  for (int i = 0; i < block; ++i) start += block_sizes[static_cast<std::size_t>(i)];
  return start;
}
constexpr int node_size = block_start(block_count);

int resource(int node, Block block, int number) { return node * node_size + block_start(block) + number; }

struct Decoded {
  const Node* node;
  Block block;
  int number;
};

Decoded decode(int id) {
  int rest = id % node_size;
  int block = 0;
  while (rest >= block_sizes[static_cast<std::size_t>(block)]) rest -= block_sizes[static_cast<std::size_t>(block++)];
  return {&Cluster::current().nodes().at(static_cast<std::size_t>(id / node_size)), static_cast<Block>(block), rest};
}

double pcie_rate(int generation, int width, bool to_device) {
  return pcie_x16.at(static_cast<std::size_t>(generation)) * width / 16 * (to_device ? 1 : to_host_factor);
}

double pcie_rate(const Gpu& gpu, bool to_device) { return pcie_rate(gpu.pcie_gen, gpu.pcie_width, to_device); }

double nvlink_rate(const Gpu& gpu, int links) {
  return links * gpu.product->nvlink_rate_per_link *
         nvlink_share.at(static_cast<std::size_t>(gpu.product->nvlink_generation));
}

const Gpu* gpu_in_slot(const Node& node, int slot) {
  const auto at = std::find_if(node.gpus.begin(), node.gpus.end(), [&](const Gpu& gpu) { return gpu.slot == slot; });
  return at == node.gpus.end() ? nullptr : &*at;
}

/// The uplink of a bridge is as wide as the widest card's slot below it.
double bridge_rate(const Node& node, int bridge, bool to_device) {
  double best = 0;
  for (const auto& gpu : node.gpus) {
    if (gpu.bridge == bridge) best = std::max(best, pcie_rate(gpu.pcie_gen_max, gpu.pcie_width_max, to_device));
  }
  return best;
}

void cross_sockets(Route& route, int node, int from, int to) {
  if (from == to) return;
  route.resources.push_back(resource(node, sockets, from * limit::sockets + to));
  route.bytes_per_second *= far_socket_share;
  route.latency_seconds += socket_latency;
}

void add_bridge(Route& route, const Gpu& gpu, bool to_device) {
  route.resources.push_back(resource(gpu.node, to_device ? bridge_in : bridge_out, gpu.bridge));
  route.latency_seconds += bridge_latency;
}

Route nvlink_route(const Gpu& from, const Gpu& to, int links) {
  return {.bytes_per_second = std::min(nvlink_rate(from, links), nvlink_rate(to, links)),
          .latency_seconds = nvlink_latency,
          .resources = {resource(from.node, nvlink_out, from.slot), resource(to.node, nvlink_in, to.slot)},
          .peer_to_peer = true};
}

}  // namespace

Route host_route(const Gpu& gpu, int numa_node, bool to_device) {
  Route route{.bytes_per_second = pcie_rate(gpu, to_device),
              .latency_seconds = pcie_latency,
              .resources = {resource(gpu.node, to_device ? pcie_in : pcie_out, gpu.slot)},
              .peer_to_peer = false};
  add_bridge(route, gpu, to_device);
  if (numa_node >= 0)
    cross_sockets(route, gpu.node, to_device ? numa_node : gpu.numa_node, to_device ? gpu.numa_node : numa_node);
  return route;
}

int nvlinks_between(const Gpu& from, const Gpu& to) {
  if (from.node != to.node || from.slot == to.slot || from.mig || to.mig) return 0;
  if (from.bridge_peer >= 0 && from.bridge_peer != to.slot) return 0;
  return std::min(from.nvlinks_up(), to.nvlinks_up());
}

bool peer_possible(const Gpu& from, const Gpu& to) {
  if (from.node != to.node || from.slot == to.slot) return false;
  if (!from.peer_to_peer || !to.peer_to_peer || from.mig || to.mig) return false;
  return nvlinks_between(from, to) > 0 || !(from.product->consumer || to.product->consumer);
}

Route peer_route(const Gpu& from, const Gpu& to) {
  const bool possible = peer_possible(from, to);
  const int links = nvlinks_between(from, to);
  if (possible && links > 0) return nvlink_route(from, to, links);
  Route route{.bytes_per_second =
                  std::min(pcie_rate(from, false), pcie_rate(to, true)) * (possible ? pcie_peer_share : staged_share),
              .latency_seconds = possible ? pcie_latency : 3 * pcie_latency,
              .resources = {resource(from.node, pcie_out, from.slot), resource(to.node, pcie_in, to.slot)},
              .peer_to_peer = possible};
  if (from.bridge != to.bridge || !possible) {
    add_bridge(route, from, false);
    add_bridge(route, to, true);
  }
  cross_sockets(route, from.node, from.numa_node, to.numa_node);
  return route;
}

Route nic_route(const Nic& nic, const Gpu* gpu, bool sending) {
  Route route{.bytes_per_second = nic.delivered,
              .latency_seconds = Cluster::current().fabric().latency_seconds,
              .resources = {resource(nic.node, sending ? nic_out : nic_in, nic.slot)},
              .peer_to_peer = gpu != nullptr && nic.gdr};
  if (gpu == nullptr) return route;
  route.resources.push_back(resource(gpu->node, sending ? pcie_out : pcie_in, gpu->slot));
  double card = pcie_rate(*gpu, !sending);
  if (!nic.gdr) card *= staged_share;
  route.bytes_per_second = std::min(route.bytes_per_second, card);
  if (nic.near_gpu != gpu->slot || !nic.gdr) add_bridge(route, *gpu, !sending);
  if (nic.numa_node != gpu->numa_node) {
    cross_sockets(route, nic.node, sending ? gpu->numa_node : nic.numa_node, sending ? nic.numa_node : gpu->numa_node);
  }
  return route;
}

double capacity(int id) {
  const auto [node, block, number] = decode(id);
  if (block == sockets) return node->numa_link_rate;
  if (block == bridge_in || block == bridge_out) return bridge_rate(*node, number, block == bridge_in);
  if (block == nic_in || block == nic_out) {
    const auto at =
        std::find_if(node->nics.begin(), node->nics.end(), [&, n = number](const Nic& nic) { return nic.slot == n; });
    return at == node->nics.end() ? 0 : at->delivered;
  }
  const Gpu* gpu = gpu_in_slot(*node, number);
  if (gpu == nullptr) return 0;
  if (block == pcie_in || block == pcie_out) return pcie_rate(*gpu, block == pcie_in);
  return nvlink_rate(*gpu, gpu->nvlinks_up());
}

int resource_count() { return static_cast<int>(Cluster::current().nodes().size()) * node_size; }

std::string resource_name(int id) {
  const auto [node, block, number] = decode(id);
  return fmt::format("{} {}", node->host, fmt::format(fmt::runtime(block_names[block]), number));
}

}  // namespace emulator
