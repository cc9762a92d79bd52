#include "tests/detection_trial/synthetic_cluster.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>

namespace trial {
namespace {

struct Product {
  double nvlink, nic, pcie, memory;  ///< what healthy machines reach, GB/s
};
// A100, H100 and B200 nodes with HDR, NDR and NDR networks: public figures of healthy machines, rounded.
constexpr std::array<Product, 3> products{{{235, 24, 26, 1700}, {380, 47.5, 55, 2900}, {750, 48, 55, 7200}}};
constexpr double giga = 1e9;

}  // namespace

std::string name_of(FaultKind kind) {
  constexpr std::array<const char*, fault_kinds> names{
      "nic",  "gpu_port", "gpu_out",      "gpu_path",  "node_fabric", "node_network", "node_latency",
      "rail", "uplink",   "network_path", "host_link", "card_memory", "late_rank"};
  return names[static_cast<std::size_t>(kind)];
}

Cluster::Cluster(std::uint64_t seed, int nodes, bool faulty) : seed_(seed), random_(seed) {
  draw_shape(nodes);
  draw_noise();
  if (faulty) draw_faults();
}

void Cluster::draw_shape(int nodes) {
  const Product& product = products[static_cast<std::size_t>(below(static_cast<int>(products.size())))];
  shape_.nodes = nodes;
  shape_.gpus = nodes > 1 && below(4) == 0 ? 4 : 8;
  constexpr std::array<int, 3> leaf_sizes{8, 16, 32};
  shape_.nodes_per_leaf = leaf_sizes[static_cast<std::size_t>(below(3))];
  if (below(4) == 0) shape_.oversubscription = between(1.5, 4);
  shape_.nvlink_rate = product.nvlink * giga;
  shape_.nic_rate = product.nic * giga;
  shape_.pcie_rate = product.pcie * giga;
  shape_.memory_rate = product.memory * giga;
  shape_.leaf_latency = between(1.6e-6, 3e-6);
  shape_.spine_latency = between(0.5e-6, 1.2e-6);
}

void Cluster::draw_noise() {
  noise_.epoch_jitter = between(0.003, 0.010);
  noise_.latency_jitter = between(0.01, 0.03);
  noise_.run_offset = between(0.002, 0.010);
  noise_.unit_spread = between(0.001, 0.004);
  noise_.card_spread = between(0.002, 0.006);
  noise_.pair_spread = between(0.001, 0.004);
  noise_.latency_spread = between(0.005, 0.015);
  noise_.straggler_chance = between(0.001, 0.01);
  noise_.straggler_size = between(0.2, 1.0);
}

bool Cluster::possible(FaultKind kind) const {
  const int leaves = (shape_.nodes + shape_.nodes_per_leaf - 1) / shape_.nodes_per_leaf;
  switch (kind) {
    case FaultKind::nic:
    case FaultKind::network_path:
      return shape_.nodes >= 2;
    case FaultKind::node_network:  // between two nodes everything would be slow, and nothing left to compare with
    case FaultKind::node_fabric:
    case FaultKind::node_latency:
    case FaultKind::rail:
      return shape_.nodes >= 3;
    case FaultKind::uplink:  // with two leaves it is the same as oversubscription
      return leaves >= 3 && shape_.oversubscription == 1 && shape_.nodes % shape_.nodes_per_leaf == 0;
    default:
      return true;
  }
}

Fault Cluster::placed(FaultKind kind) {
  Fault fault{.kind = kind, .node = below(shape_.nodes), .unit = below(shape_.gpus)};
  // A seventh at the smallest severity asked for, the others spread over all sizes alike (log-uniform).
  fault.severity = below(7) == 0 ? 0.05 : 0.05 * std::pow(0.9 / 0.05, between(0, 1));
  if (kind == FaultKind::uplink) {
    fault.node = below((shape_.nodes + shape_.nodes_per_leaf - 1) / shape_.nodes_per_leaf);
  }
  if (kind == FaultKind::gpu_path) {
    fault.other_node = fault.node;
    fault.other_unit = (fault.unit + 1 + below(shape_.gpus - 1)) % shape_.gpus;
  }
  if (kind == FaultKind::network_path) {
    fault.other_node = (fault.node + 1 + below(shape_.nodes - 1)) % shape_.nodes;
    fault.other_unit = fault.unit;
  }
  return fault;
}

void Cluster::draw_faults() {
  const int wanted = 1 + below(3);
  while (static_cast<int>(faults_.size()) < wanted) {
    const auto kind = static_cast<FaultKind>(below(fault_kinds));
    if (possible(kind)) faults_.push_back(placed(kind));
  }
}

double Cluster::left(FaultKind kind, int node, int unit, int other_node, int other_unit, int skip) const {
  double rest = 1;
  for (std::size_t i = 0; i < faults_.size(); ++i) {
    const Fault& fault = faults_[i];
    if (fault.kind != kind || static_cast<int>(i) == skip) continue;
    const bool here = (node < 0 || fault.node == node) && (unit < 0 || fault.unit == unit) &&
                      (other_node < 0 || (fault.other_node == other_node && fault.other_unit == other_unit));
    if (here) rest = std::min(rest, 1 - fault.severity);
  }
  return rest;
}

/// A fixed deviation of a part: the same in every measurement of this cluster.
double Cluster::spread_of(const std::string& what, int a, int b, double sigma) const {
  std::seed_seq seed{static_cast<std::uint32_t>(seed_), static_cast<std::uint32_t>(seed_ >> 32),
                     static_cast<std::uint32_t>(std::hash<std::string>()(what)), static_cast<std::uint32_t>(a),
                     static_cast<std::uint32_t>(b)};
  std::array<std::uint32_t, 2> words{};
  seed.generate(words.begin(), words.end());
  const double u = (words[0] + 0.5) / 4294967296.0;
  const double v = (words[1] + 0.5) / 4294967296.0;
  return std::exp(sigma * std::sqrt(-2 * std::log(u)) * std::cos(2 * 3.14159265358979 * v));
}

double Cluster::in_node_rate(const Pair& pair, int skip) const {
  const auto& [a, b] = pair;
  const auto port = [&](const End& end) {
    return shape_.nvlink_rate * spread_of("port", end.node, end.unit, noise_.unit_spread) *
           left(FaultKind::gpu_port, end.node, end.unit, -1, -1, skip);
  };
  const double out = shape_.nvlink_rate * left(FaultKind::gpu_out, a.node, a.unit, -1, -1, skip);
  const double path = shape_.nvlink_rate * std::min(left(FaultKind::gpu_path, a.node, a.unit, b.node, b.unit, skip),
                                                    left(FaultKind::gpu_path, b.node, b.unit, a.node, a.unit, skip));
  const double fabric = shape_.nvlink_rate * left(FaultKind::node_fabric, a.node, -1, -1, -1, skip);
  return std::min({port(a), port(b), out, path, fabric}) *
         spread_of("copy", (a.node * 64 + a.unit) * 64 + b.unit, 0, noise_.pair_spread);
}

/// Max-min fair shares: flows that their ends hold back take what they can, the fullest uplink is divided equally among
/// the rest, and so on.
void Cluster::share_uplinks(const std::vector<Pair>& pairs, Values& rates) const {
  const double capacity = shape_.nodes_per_leaf * shape_.gpus * shape_.nic_rate / shape_.oversubscription;
  const auto leaves = static_cast<std::size_t>(leaf_of(shape_.nodes - 1) + 1);
  const auto leaf = [&](const End& end) { return static_cast<std::size_t>(leaf_of(end.node)); };
  Values room(leaves, capacity);
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (leaf(pairs[i].a) != leaf(pairs[i].b)) open.push_back(i);
  }
  while (!open.empty()) {
    std::vector<int> flows(leaves);
    for (const std::size_t i : open) {
      ++flows[leaf(pairs[i].a)];
      ++flows[leaf(pairs[i].b)];
    }
    double share = std::numeric_limits<double>::infinity();
    std::size_t fullest = 0;
    for (std::size_t l = 0; l < leaves; ++l) {
      if (flows[l] == 0 || room[l] / flows[l] >= share) continue;
      share = room[l] / flows[l];
      fullest = l;
    }
    const bool held_back = std::any_of(open.begin(), open.end(), [&](std::size_t i) { return rates[i] <= share; });
    std::vector<std::size_t> still_open;
    for (const std::size_t i : open) {
      const bool on_fullest = leaf(pairs[i].a) == fullest || leaf(pairs[i].b) == fullest;
      if (held_back ? rates[i] > share : !on_fullest) {
        still_open.push_back(i);
        continue;
      }
      rates[i] = std::min(rates[i], share);
      room[leaf(pairs[i].a)] -= rates[i];
      room[leaf(pairs[i].b)] -= rates[i];
    }
    open = std::move(still_open);
  }
}

Cluster::Values Cluster::across_rates(const std::vector<Pair>& pairs, int skip) const {
  const auto nic = [&](const End& end) {
    return shape_.nic_rate * spread_of("nic", end.node, end.unit, noise_.unit_spread) *
           std::min({left(FaultKind::nic, end.node, end.unit, -1, -1, skip),
                     left(FaultKind::node_network, end.node, -1, -1, -1, skip),
                     left(FaultKind::rail, -1, end.unit, -1, -1, skip)});
  };
  Values rates;
  for (const auto& [a, b] : pairs) {
    double rate = std::min(nic(a), nic(b));
    rate =
        std::min(rate, shape_.nic_rate * std::min(left(FaultKind::network_path, a.node, a.unit, b.node, b.unit, skip),
                                                  left(FaultKind::network_path, b.node, b.unit, a.node, a.unit, skip)));
    if (leaf_of(a.node) != leaf_of(b.node)) {
      for (const int leaf : {leaf_of(a.node), leaf_of(b.node)}) {
        rate = std::min(rate, shape_.nic_rate * left(FaultKind::uplink, leaf, -1, -1, -1, skip));
      }
    }
    rates.push_back(rate * spread_of("path", a.node * 64 + a.unit, b.node * 64 + b.unit, noise_.pair_spread));
  }
  if (shape_.oversubscription > 1) share_uplinks(pairs, rates);
  return rates;
}

double Cluster::latency(const Pair& pair, int skip) const {
  const auto& [a, b] = pair;
  double seconds = shape_.leaf_latency + (leaf_of(a.node) != leaf_of(b.node) ? shape_.spine_latency : 0);
  seconds *= spread_of("latency", a.node, b.node, noise_.latency_spread);
  for (const End& end : {a, b}) {
    const double rest = left(FaultKind::node_latency, end.node, -1, -1, -1, skip);
    seconds += (1 / rest - 1) * shape_.leaf_latency;
  }
  return seconds;
}

template <class Without>
void Cluster::mark_visible(const Values& values, Without&& without) {
  for (std::size_t f = 0; f < faults_.size(); ++f) {
    if (faults_[f].visible) continue;
    const Values healthy = without(static_cast<int>(f));
    for (std::size_t i = 0; i < values.size() && !faults_[f].visible; ++i) {
      const double change = std::abs(std::log(values[i] / healthy[i]));
      faults_[f].visible = change >= -0.5 * std::log(1 - faults_[f].severity);
    }
  }
}

std::vector<Cluster::Values> Cluster::noisy(const Values& values, int epochs, double jitter, double direction) {
  std::vector<Values> result(values.size());
  for (int epoch = 0; epoch < epochs; ++epoch) {
    const double offset = noise_.run_offset * normal();
    for (std::size_t i = 0; i < values.size(); ++i) {
      double log_cost = offset + jitter * normal();
      if (between(0, 1) < noise_.straggler_chance) {
        log_cost += std::log1p(-noise_.straggler_size * std::log(1 - between(0, 1)));
      }
      result[i].push_back(values[i] * std::exp(direction * log_cost));
    }
  }
  return result;
}

std::vector<Cluster::Values> Cluster::copies_in_nodes(const std::vector<Pair>& pairs, int epochs) {
  const auto values = [&](int skip) {
    Values rates;
    for (const Pair& pair : pairs) rates.push_back(in_node_rate(pair, skip));
    return rates;
  };
  const Values rates = values(-1);
  mark_visible(rates, values);
  return noisy(rates, epochs, noise_.epoch_jitter, -1);
}

std::vector<Cluster::Values> Cluster::exchanges_across(const std::vector<Pair>& pairs, int epochs) {
  const Values rates = across_rates(pairs, -1);
  mark_visible(rates, [&](int skip) { return across_rates(pairs, skip); });
  return noisy(rates, epochs, noise_.epoch_jitter, -1);
}

std::vector<Cluster::Values> Cluster::latencies_across(const std::vector<Pair>& pairs, int epochs) {
  const auto values = [&](int skip) {
    Values seconds;
    for (const Pair& pair : pairs) seconds.push_back(latency(pair, skip));
    return seconds;
  };
  const Values seconds = values(-1);
  mark_visible(seconds, values);
  return noisy(seconds, epochs, noise_.latency_jitter, 1);
}

std::vector<Cluster::Values> Cluster::host_copies(int epochs) {
  const auto values = [&](int skip) {
    Values rates;
    for (int node = 0; node < shape_.nodes; ++node) {
      for (int gpu = 0; gpu < shape_.gpus; ++gpu) {
        rates.push_back(shape_.pcie_rate * spread_of("pcie", node, gpu, noise_.card_spread) *
                        left(FaultKind::host_link, node, gpu, -1, -1, skip));
      }
    }
    return rates;
  };
  const Values rates = values(-1);
  mark_visible(rates, values);
  return noisy(rates, epochs, noise_.epoch_jitter, -1);
}

std::vector<Cluster::Values> Cluster::memory_rates(int epochs) {
  const auto values = [&](int skip) {
    Values rates;
    for (int node = 0; node < shape_.nodes; ++node) {
      for (int gpu = 0; gpu < shape_.gpus; ++gpu) {
        rates.push_back(shape_.memory_rate * spread_of("memory", node, gpu, noise_.card_spread) *
                        left(FaultKind::card_memory, node, gpu, -1, -1, skip));
      }
    }
    return rates;
  };
  const Values rates = values(-1);
  mark_visible(rates, values);
  return noisy(rates, epochs, noise_.epoch_jitter, -1);
}

std::vector<Cluster::Values> Cluster::collective(int iterations) {
  const int ranks = shape_.nodes * shape_.gpus;
  const double duration = shape_.leaf_latency * 4 * std::log2(ranks + 1) + 40e-6;
  const double skew = 0.01 * duration;  // of the entries after a barrier
  for (Fault& fault : faults_) fault.visible = fault.visible || fault.kind == FaultKind::late_rank;
  std::vector<Values> seconds(static_cast<std::size_t>(ranks));
  for (int iteration = 0; iteration < iterations; ++iteration) {
    Values entry;
    for (int rank = 0; rank < ranks; ++rank) {
      double late = skew * std::abs(normal());
      if (between(0, 1) < noise_.straggler_chance)
        late -= duration * noise_.straggler_size * std::log(1 - between(0, 1));
      const double rest = left(FaultKind::late_rank, rank / shape_.gpus, rank % shape_.gpus, -1, -1, -1);
      late += (1 / rest - 1) * duration * std::exp(0.2 * normal());
      entry.push_back(late);
    }
    const double end =
        *std::max_element(entry.begin(), entry.end()) + duration * std::exp(noise_.latency_jitter * normal());
    for (int rank = 0; rank < ranks; ++rank) {
      const double own = 1 + 0.003 * normal();
      seconds[static_cast<std::size_t>(rank)].push_back((end - entry[static_cast<std::size_t>(rank)]) * own);
    }
  }
  return seconds;
}

}  // namespace trial
