#include "tests/emulator/nccl/describe.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <set>

#include "tests/emulator/model/routes.hpp"

namespace emulator::nccl {
namespace {

/// Where a rank reaches the network.
struct Port {
  const Nic* nic = nullptr;  ///< nullptr: the host's interface
  const Gpu* gpu = nullptr;  ///< whose PCIe link is used: the rank's, or (over NVLink) that of the GPU next to the NIC
  Medium medium = Medium::nic;
};

Distance distance(const Nic& nic, const Gpu& gpu, const Node& node) {
  if (nic.near_gpu == gpu.slot) return Distance::pix;
  for (const auto& other : node.gpus) {
    if (other.slot == nic.near_gpu && other.bridge == gpu.bridge) return Distance::pxb;
  }
  return nic.numa_node == gpu.numa_node ? Distance::phb : Distance::sys;
}

class Describer {
 public:
  Describer(const Cluster& cluster, const std::vector<Place>& places, const Settings& settings)
      : cluster_(&cluster), places_(&places), settings_(&settings) {}

  Shape describe() {
    number_nodes();
    shape_.nvlink_generation = generation();
    shape_.nvls = settings_->nvls && all_nodes([](const Node& node) { return node.nvls; }) && joined();
    shape_.sharp = cluster_->fabric().sharp && settings_->collnet && !uses_sockets(*cluster_, *settings_);
    for (const auto& place : *places_) ports_.push_back(port_of(place));
    const auto ranks = static_cast<int>(places_->size());
    shape_.hops.resize(places_->size());
    for (int from = 0; from < ranks; ++from) {
      for (int to = 0; to < ranks; ++to) shape_.hops[static_cast<std::size_t>(from)].push_back(hop(from, to));
    }
    add_rails();
    if (shape_.nvls) add_nvls_ports();
    add_spine();
    shape_.shared = may_be_shared();
    return std::move(shape_);
  }

 private:
  const Gpu& gpu(int rank) const { return gpu_at(*cluster_, (*places_)[static_cast<std::size_t>(rank)]); }
  const Node& node(int rank) const {
    return cluster_->nodes()[static_cast<std::size_t>((*places_)[static_cast<std::size_t>(rank)].node)];
  }
  bool all_nodes(bool (*holds)(const Node&)) const {
    return std::ranges::all_of(
        *places_, [&](const Place& place) { return holds(cluster_->nodes()[static_cast<std::size_t>(place.node)]); });
  }
  /// Every pair of ranks of a node is joined by NVLink that may be used.
  bool joined() const {
    if (!settings_->peer_to_peer) return false;
    for (const auto& ranks : shape_.node_ranks) {
      for (const int a : ranks) {
        for (const int b : ranks) {
          if (a != b && (nvlinks_between(gpu(a), gpu(b)) == 0 || !peer_possible(gpu(a), gpu(b)))) return false;
        }
      }
    }
    return true;
  }
  int generation() const { return joined() && has_links() ? gpu(0).product->nvlink_generation : 0; }
  bool has_links() const { return gpu(0).nvlinks_up() > 0; }

  void number_nodes() {
    std::map<int, int> numbers;
    for (std::size_t rank = 0; rank < places_->size(); ++rank) {
      const auto [at, first] = numbers.emplace((*places_)[rank].node, static_cast<int>(numbers.size()));
      if (first) shape_.node_ranks.emplace_back();
      shape_.node_of.push_back(at->second);
      shape_.node_ranks[static_cast<std::size_t>(at->second)].push_back(static_cast<int>(rank));
    }
  }

  /// The segment of a resource of the model; made at its first use, whose rank announces it.
  int segment(int resource, double rate, int owner) {
    const auto [at, first] = index_.emplace(resource, static_cast<int>(shape_.segments.size()));
    if (first) shape_.segments.push_back({.rate = rate, .resource = resource, .owner = owner});
    return at->second;
  }
  int own_segment(double rate, int owner) {
    shape_.segments.push_back({.rate = rate, .owner = owner});
    return static_cast<int>(shape_.segments.size()) - 1;
  }
  void add(std::vector<int>& segments, const std::vector<int>& resources, int owner) {
    for (const int resource : resources) segments.push_back(segment(resource, capacity(resource), owner));
  }

  Hop hop(int from, int to) {
    if (from == to) return {};
    if (shape_.node_of[static_cast<std::size_t>(from)] != shape_.node_of[static_cast<std::size_t>(to)]) {
      return network_hop(from, to);
    }
    const auto route = peer_route(gpu(from), gpu(to));
    if (settings_->peer_to_peer && route.peer_to_peer) {
      const int links = nvlinks_between(gpu(from), gpu(to));
      return links > 0 ? nvlink_hop(from, to, links, route) : pcie_hop(from, to, route);
    }
    return settings_->shared_memory ? host_hop(from, to) : network_hop(from, to);
  }
  Hop nvlink_hop(int from, int to, int links, const Route& route) {
    const double rate = links * gpu(from).product->nvlink_rate_per_link;
    const bool bridged = gpu(from).bridge_peer >= 0;
    const auto all = [&](int rank) {
      return bridged ? rate : gpu(rank).nvlinks_up() * gpu(rank).product->nvlink_rate_per_link;
    };
    return {.medium = Medium::nvlink,
            .out = {segment(route.resources.front(), all(from), from)},
            .in = {segment(route.resources.back(), all(to), to)}};
  }
  Hop pcie_hop(int from, int to, const Route& route) {
    Hop hop{.medium = Medium::pcie, .out = {}, .in = {}};
    add(hop.out, {route.resources.front()}, from);
    add(hop.out, {route.resources.begin() + 2, route.resources.end()}, from);
    add(hop.in, {route.resources[1]}, to);
    return hop;
  }
  Hop host_hop(int from, int to) {
    Hop hop{.medium = Medium::host, .out = {}, .in = {}};
    const int middle = gpu(to).numa_node;
    add(hop.out, host_route(gpu(from), middle, false).resources, from);
    add(hop.in, host_route(gpu(to), middle, true).resources, to);
    return hop;
  }

  Port port_of(const Place& place) const {
    const auto& here = cluster_->nodes()[static_cast<std::size_t>(place.node)];
    const auto& card = gpu_at(*cluster_, place);
    const auto nics = usable_nics(*cluster_, here, *settings_);
    if (nics.empty()) return {nullptr, &card, Medium::socket};
    const auto* nic = *std::ranges::min_element(nics, {}, [&](const Nic* one) {
      const int far = std::abs(one->near_gpu - card.slot);
      return std::pair{distance(*one, card, here), far};
    });
    if (uses_sockets(*cluster_, *settings_)) return {nic, &card, Medium::socket};
    const Gpu* neighbour = &card;
    for (const auto& other : here.gpus) {
      if (other.slot == nic->near_gpu && nvlinks_between(card, other) > 0 && settings_->peer_to_peer)
        neighbour = &other;
    }
    const auto far = distance(*nic, *neighbour, here);
    const bool gdr = nic->gdr && settings_->gdr_level != Distance::never && far <= settings_->gdr_level;
    return {nic, neighbour, gdr ? Medium::nic : Medium::nic_host};
  }

  void add_port(std::vector<int>& segments, const Port& port, int rank, bool sending) {
    if (port.medium == Medium::socket) {
      segments.push_back(socket_segment(port, rank, sending));
      return;
    }
    Nic nic = *port.nic;
    nic.gdr = port.medium == Medium::nic;
    const auto route = nic_route(nic, port.gpu, sending);
    const auto before = segments.size();
    add(segments, route.resources, rank);
    mark_nic(segments[before], nic);
    if (!nic.gdr) segments.push_back(own_segment(route.bytes_per_second, rank));
  }
  /// The NIC is the first resource of its route.
  void mark_nic(int index, const Nic& nic) {
    auto& segment = shape_.segments[static_cast<std::size_t>(index)];
    segment.node = nic.node;
    segment.nic = nic.slot;
  }
  int socket_segment(const Port& port, int rank, bool sending) {
    const auto& host = node(rank);
    if (port.nic == nullptr) {  // one interface for the whole node: a number below those of all resources
      const int key = -2 - 2 * host.index - (sending ? 1 : 0);
      const int index = segment(key, host_interface_rate, rank);
      shape_.segments[static_cast<std::size_t>(index)].resource = -1;
      return index;
    }
    const int resource = nic_route(*port.nic, nullptr, sending).resources.front();
    const int index = segment(resource, std::min(port.nic->delivered, socket_rate_most), rank);
    mark_nic(index, *port.nic);
    return index;
  }
  Hop network_hop(int from, int to) {
    const Port &a = ports_[static_cast<std::size_t>(from)], &b = ports_[static_cast<std::size_t>(to)];
    Hop hop{.medium = std::max(a.medium, b.medium), .out = {}, .in = {}};
    add_port(hop.out, a, from, true);
    add_port(hop.in, b, to, false);
    hop.gdr = hop.medium == Medium::nic;
    hop.nic_out = a.nic == nullptr ? -1 : a.nic->slot;
    hop.nic_in = b.nic == nullptr ? -1 : b.nic->slot;
    return hop;
  }

  /// Rings use each NIC that is some rank's nearest once.
  void add_rails() {
    shape_.rails.resize(shape_.node_ranks.size());
    if (shape_.nodes() < 2) return;
    for (std::size_t node = 0; node < shape_.node_ranks.size(); ++node) {
      const auto& ranks = shape_.node_ranks[node];
      std::set<const Nic*> seen;
      for (std::size_t i = 0; i < ranks.size(); ++i) {
        if (!seen.insert(ports_[static_cast<std::size_t>(ranks[i])].nic).second) continue;
        shape_.rails[node].push_back(rail(ranks[i], ranks[(i + 1) % ranks.size()]));
      }
    }
  }
  Rail rail(int exit, int entry) {
    const Port port = ports_[static_cast<std::size_t>(exit)];
    Port back = port;
    // Over NVLink the GPU next to the NIC takes what comes; else the rank where the ring goes on does itself.
    if (shape_.nvlink_generation == 0) back.gpu = &gpu(entry);
    Rail rail{.out = {.medium = port.medium, .out = {}, .in = {}},
              .in = {.medium = port.medium, .out = {}, .in = {}},
              .exit_rank = exit};
    add_port(rail.out.out, port, exit, true);
    add_port(rail.in.in, back, exit, false);
    rail.out.gdr = rail.in.gdr = port.medium == Medium::nic;
    rail.out.nic_out = rail.in.nic_in = port.nic == nullptr ? -1 : port.nic->slot;
    return rail;
  }
  void add_nvls_ports() {
    for (const auto& ranks : shape_.node_ranks) {
      auto& ports = shape_.nvls_ports.emplace_back();
      for (const int rank : ranks) {
        const int other = ranks.front() == rank ? ranks.back() : ranks.front();
        if (other == rank) continue;
        ports.emplace_back(shape_.hop(rank, other).out.front(), shape_.hop(other, rank).in.front());
      }
    }
  }
  /// NVLink ports are a card's own; PCIe bridges, links between sockets and NICs may be others' as well.
  bool may_be_shared() const {
    bool over_pcie = false;
    for (const auto& row : shape_.hops) {
      over_pcie = over_pcie || std::ranges::any_of(row, [](const Hop& hop) {
                    return hop.medium == Medium::pcie || hop.medium == Medium::host;
                  });
    }
    for (const auto& ranks : shape_.node_ranks) {
      const int number = (*places_)[static_cast<std::size_t>(ranks.front())].node;
      for (const auto& other : cluster_->nodes()[static_cast<std::size_t>(number)].gpus) {
        const Place place{number, other.index};
        if (std::ranges::find(*places_, place) != places_->end()) continue;
        if (over_pcie) return true;
        const Port port = port_of(place);
        const auto same = [&](const Port& mine) { return mine.nic == port.nic; };
        if (shape_.nodes() > 1 && std::ranges::any_of(ports_, same)) return true;
      }
    }
    return false;
  }
  void add_spine() {
    if (cluster_->fabric().oversubscription <= 1) return;
    double all = 0;
    for (const auto& one : cluster_->nodes()) {
      for (const auto& nic : one.nics) all += nic.delivered;
    }
    shape_.spine_rate = all / cluster_->fabric().oversubscription;
  }

  const Cluster* cluster_;
  const std::vector<Place>* places_;
  const Settings* settings_;
  Shape shape_;
  std::vector<Port> ports_;
  std::map<int, int> index_;
};

}  // namespace

const Gpu& gpu_at(const Cluster& cluster, const Place& place) {
  return cluster.nodes().at(static_cast<std::size_t>(place.node)).gpus.at(static_cast<std::size_t>(place.gpu));
}

bool uses_sockets(const Cluster& cluster, const Settings& settings) {
  return cluster.fabric().transport == Transport::socket || !settings.infiniband;
}

std::vector<const Nic*> usable_nics(const Cluster& cluster, const Node& node, const Settings& settings) {
  std::vector<const Nic*> nics;
  for (const auto& nic : node.nics) {
    if (!nic.up || nic.delivered <= 0) continue;
    const bool interface_only = nic.kind == Transport::socket;
    if (uses_sockets(cluster, settings) ? interface_only : !interface_only && settings.uses(nic.name)) {
      nics.push_back(&nic);
    }
  }
  return nics;
}

Shape describe(const Cluster& cluster, const std::vector<Place>& places, const Settings& settings) {
  return Describer(cluster, places, settings).describe();
}

}  // namespace emulator::nccl
