#include "tests/emulator/model/fault_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace emulator {
namespace {

constexpr int many = 1 << 30;
constexpr double huge = 1e15;

/// Nodes by number or by the names of hosts.
void read_nodes(TomlTable& table, const std::vector<Node>& nodes, Fault& fault) {
  if (!table.is_text("node")) return table.read("node", fault.nodes, 0, static_cast<int>(nodes.size()) - 1);
  std::string host;
  table.read("node", host);
  const auto at = std::find_if(nodes.begin(), nodes.end(), [&](const Node& node) { return node.host == host; });
  if (at == nodes.end()) table.fail("node", fmt::format("no host is called '{}'", host));
  fault.nodes = {at->index};
}

void read_place(TomlTable& table, const std::vector<Node>& nodes, Fault& fault) {
  const auto place = place_of(fault.kind);
  if (place == FaultPlace::cluster) return;
  read_nodes(table, nodes, fault);
  std::size_t gpus = std::numeric_limits<std::size_t>::max();
  std::size_t nics = gpus;
  for (const auto& node : nodes) {
    if (!fault.nodes.empty() && std::find(fault.nodes.begin(), fault.nodes.end(), node.index) == fault.nodes.end())
      continue;
    gpus = std::min(gpus, node.gpus.size());
    nics = std::min(nics, node.nics.size());
  }
  if (place == FaultPlace::gpu) {
    if (gpus == 0) table.fail("kind", "a node that this fault sits in has no GPU");
    table.read("gpu", fault.gpus, 0, static_cast<int>(gpus) - 1);
  }
  if (place == FaultPlace::nic) {
    if (nics == 0) table.fail("kind", "a node that this fault sits in has no NIC");
    table.read("nic", fault.nics, 0, static_cast<int>(nics) - 1);
  }
}

/// A number that the kind needs.
void need(TomlTable& table, std::string_view key, double& value, double least, double most) {
  if (!table.has(key)) table.fail("kind", fmt::format("the fault needs '{}'", key));
  table.read(key, value, least, most);
}

/// A number that has a value of its own when it is not given.
void may(TomlTable& table, std::string_view key, double& value, double otherwise, double least, double most) {
  value = otherwise;
  table.read(key, value, least, most);
}

void may(TomlTable& table, std::string_view key, int& value, int otherwise, int least, int most) {
  value = otherwise;
  table.read(key, value, least, most);
}

void read_gpu_numbers(TomlTable& table, Fault& fault) {
  switch (fault.kind) {
    case FaultKind::power_cap:
      need(table, "watts", fault.watts, 1, 10000);
      break;
    case FaultKind::locked_clocks:
      may(table, "sm_mhz", fault.sm_mhz, 420, 1, 10000);
      may(table, "watts", fault.watts, 40, 1, 10000);
      break;
    case FaultKind::thermal:
      may(table, "after_seconds", fault.after_seconds, 5, 0, huge);
      may(table, "sm_mhz", fault.sm_mhz, 0, 1, 10000);
      break;
    case FaultKind::mig_slice:
      need(table, "fraction", fault.fraction, 0.01, 1);
      break;
    case FaultKind::renamed:
      if (!table.has("product")) table.fail("kind", "the fault needs 'product', what the card really is");
      table.read("product", fault.product);
      if (find_product(fault.product) == nullptr) table.fail("product", "no such id in the catalogue");
      break;
    case FaultKind::dead_nvlink:
      table.read("link", fault.links, 0, 63);
      may(table, "count", fault.count, fault.links.empty() ? 1 : 0, 1, 64);
      break;
    case FaultKind::pcie_width:
      may(table, "width", fault.width, 8, 1, 16);
      break;
    case FaultKind::pcie_gen:
      may(table, "generation", fault.generation, 1, 1, 6);
      break;
    case FaultKind::ecc:
      may(table, "count", fault.count, 1, 1, many);
      table.read("uncorrected", fault.uncorrected);
      break;
    case FaultKind::wrong_results:
      may(table, "rate", fault.rate, 1e-9, 1e-18, 1);
      break;
    case FaultKind::hang:
    case FaultKind::crash:
      table.read("operation", fault.operation);
      [[fallthrough]];
    case FaultKind::lost_gpu:
      may(table, "after", fault.after, 0, 0, many);
      break;
    case FaultKind::jitter:
      need(table, "sigma", fault.sigma, 0, 1);
      break;
    case FaultKind::out_of_memory:
      may(table, "fraction", fault.fraction, 0.5, 0.001, 1);
      break;
    default:
      break;  // The others have no numbers.
  }
}

void read_other_numbers(TomlTable& table, Fault& fault) {
  switch (fault.kind) {
    case FaultKind::slow_nic:
    case FaultKind::down_rated_nic:
      need(table, "gbit", fault.gbit, 0.001, 10000);
      break;
    case FaultKind::noisy_neighbour:
      may(table, "share", fault.share, 0.5, 0.01, 0.99);
      may(table, "period_seconds", fault.period_seconds, 1, 1e-6, 1e6);
      break;
    case FaultKind::oversubscribed:
      may(table, "ratio", fault.ratio, 2, 1, 1000);
      break;
    default:
      break;
  }
}

bool names_it(const std::vector<int>& chosen, int number) {
  return chosen.empty() || std::find(chosen.begin(), chosen.end(), number) != chosen.end();
}

void break_links(const Fault& fault, Gpu& gpu) {
  int left = fault.kind == FaultKind::missing_nvlink ? many : fault.count;
  for (std::size_t link = 0; link < gpu.nvlinks.size(); ++link) {
    const bool named = names_it(fault.links, static_cast<int>(link)) && !fault.links.empty();
    if (named || (gpu.nvlinks[link] && left > 0)) {
      if (!named) --left;
      gpu.nvlinks[link] = false;
    }
  }
}

void break_gpu(const Fault& fault, Gpu& gpu) {
  gpu.faults.push_back(fault);
  switch (fault.kind) {
    case FaultKind::mig_slice:
      gpu.mig = true;
      gpu.sm_count = std::max(1, static_cast<int>(gpu.sm_count * fault.fraction));
      gpu.memory_bytes = static_cast<std::uint64_t>(static_cast<double>(gpu.memory_bytes) * fault.fraction);
      break;
    case FaultKind::half_memory:
      gpu.memory_bytes /= 2;
      break;
    case FaultKind::dead_nvlink:
    case FaultKind::missing_nvlink:
      break_links(fault, gpu);
      break;
    case FaultKind::pcie_width:
      gpu.pcie_width = std::min(gpu.pcie_width, fault.width);
      break;
    case FaultKind::pcie_gen:
      gpu.pcie_gen = std::min(gpu.pcie_gen, fault.generation);
      break;
    case FaultKind::p2p_off:
      gpu.peer_to_peer = false;
      break;
    case FaultKind::out_of_memory:
      gpu.foreign_bytes = static_cast<std::uint64_t>(static_cast<double>(gpu.memory_bytes) * fault.fraction);
      break;
    default:
      break;  // The others show in live state, in times or in results.
  }
}

/// The card becomes another product that goes on showing its old name.
void replace_product(const Fault& fault, Gpu& gpu) {
  gpu.product = find_product(fault.product);
  gpu.sm_count = gpu.product->sm_count;
  gpu.memory_bytes = gpu.product->memory_bytes;
  gpu.pcie_gen = gpu.pcie_gen_max = std::min(gpu.pcie_gen_max, gpu.product->pcie_gen);
  if (!gpu.nvlinks.empty()) gpu.nvlinks.assign(static_cast<std::size_t>(gpu.product->nvlink_links), true);
  if (gpu.nvlinks.empty()) gpu.bridge_peer = -1;
}

void break_nic(const Fault& fault, Nic& nic) {
  nic.faults.push_back(fault);
  const double limit = fault.gbit * 1e9;
  switch (fault.kind) {
    case FaultKind::slow_nic:
      nic.delivered = std::min(nic.delivered, limit / 8);
      break;
    case FaultKind::down_rated_nic:
      nic.delivered *= std::min(1.0, limit / nic.rate);
      nic.rate = std::min(nic.rate, limit);
      break;
    case FaultKind::dead_nic:
      nic.up = false;
      nic.delivered = 0;
      break;
    case FaultKind::gdr_off:
      nic.gdr = false;
      break;
    default:
      break;
  }
}

void break_node(const Fault& fault, Node& node) {
  node.faults.push_back(fault);
  if (fault.kind == FaultKind::half_nics) std::erase_if(node.nics, [](const Nic& nic) { return nic.slot % 2 == 1; });
}

/// A card must be what it is before something of it is taken away.
bool comes_first(const Fault& fault) { return fault.kind == FaultKind::renamed; }

void apply_to_node(const Fault& fault, Node& node, bool first) {
  if (!names_it(fault.nodes, node.index) || comes_first(fault) != first) return;
  const auto place = place_of(fault.kind);
  if (place == FaultPlace::node) break_node(fault, node);
  for (auto& gpu : node.gpus) {
    if (place != FaultPlace::gpu || !names_it(fault.gpus, gpu.slot)) continue;
    if (first) replace_product(fault, gpu);
    break_gpu(fault, gpu);
  }
  for (auto& nic : node.nics) {
    if (place == FaultPlace::nic && names_it(fault.nics, nic.slot)) break_nic(fault, nic);
  }
}

}  // namespace

Fault read_fault(TomlTable table, const std::vector<Node>& nodes) {
  Fault fault;
  int kind = -1;
  table.choose("kind", kind, fault_names());
  if (kind < 0) table.fail("fault", "'kind' is missing");
  fault.kind = static_cast<FaultKind>(kind);
  read_place(table, nodes, fault);
  if (place_of(fault.kind) == FaultPlace::gpu) {
    read_gpu_numbers(table, fault);
  } else {
    read_other_numbers(table, fault);
  }
  table.finish();
  return fault;
}

void apply_faults(const std::vector<Fault>& faults, std::vector<Node>& nodes, Fabric& fabric) {
  for (const auto& fault : faults) {
    if (fault.kind == FaultKind::socket_transport) fabric.transport = Transport::socket;
    if (fault.kind == FaultKind::oversubscribed) fabric.oversubscription = fault.ratio;
  }
  for (auto& node : nodes) {
    for (const bool first : {true, false}) {
      for (const auto& fault : faults) apply_to_node(fault, node, first);
    }
    std::erase_if(node.gpus, [](const Gpu& gpu) { return gpu.fault(FaultKind::missing_gpu) != nullptr; });
    int index = 0;
    for (auto& gpu : node.gpus) gpu.index = index++;
  }
}

}  // namespace emulator
