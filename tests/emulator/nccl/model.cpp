#include "tests/emulator/nccl/model.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "tests/emulator/nccl/constants.hpp"
#include "tests/emulator/nccl/curve.hpp"

namespace emulator::nccl {
namespace {

bool messages(Collective collective) {
  return collective == Collective::all_to_all || collective == Collective::gather ||
         collective == Collective::scatter || collective == Collective::send_recv;
}

/// Share of S that each hop of a ring carries.
double ring_share(Collective collective, double ranks) {
  switch (collective) {
    case Collective::all_reduce:
      return 2 * (ranks - 1) / ranks;
    case Collective::all_gather:
    case Collective::reduce_scatter:
      return (ranks - 1) / ranks;
    default:
      return 1;
  }
}

/// The loads of one collective while they are added up.
class Loads {
 public:
  explicit Loads(const Shape& shape) : shape_(&shape), seconds_(shape.segments.size()) {}

  void segment(int index, double share, double reached) {
    const auto at = static_cast<std::size_t>(index);
    seconds_[at] += share / (shape_->segments[at].rate * reached);
  }
  void hop(const Hop& hop, double share, Pattern pattern) {
    const double reached = efficiency(pattern, hop.medium, shape_->nvlink_generation);
    for (const int index : hop.out) segment(index, share, reached);
    for (const int index : hop.in) segment(index, share, reached);
  }
  /// Both ways over the hops between neighbours of a node.
  void chains(double share, Pattern pattern) {
    for (const auto& ranks : shape_->node_ranks) {
      for (std::size_t i = 0; i + 1 < ranks.size(); ++i) {
        hop(shape_->hop(ranks[i], ranks[i + 1]), share, pattern);
        hop(shape_->hop(ranks[i + 1], ranks[i]), share, pattern);
      }
    }
  }
  /// Round every node; a ring to other nodes leaves out the hop behind its exit.
  void rings(double share) {
    const int count = shape_->nodes() > 1 ? shape_->rings() : 1;
    for (std::size_t node = 0; node < shape_->node_ranks.size(); ++node) {
      const auto& ranks = shape_->node_ranks[node];
      for (std::size_t i = 0; i < ranks.size() && ranks.size() > 1; ++i) {
        const int cut = shape_->nodes() > 1 ? exits(node, ranks[i], count) : 0;
        const double used = 1 - static_cast<double>(cut) / count;
        if (used > 0) hop(shape_->hop(ranks[i], ranks[(i + 1) % ranks.size()]), share * used, Pattern::ring);
      }
    }
  }
  /// `share` out of and into every node, spread over the rings' NICs.
  void nics(double share, Pattern pattern) {
    if (shape_->nodes() < 2) return;
    const int rings = shape_->rings();
    for (const auto& node : shape_->rails) {
      for (int ring = 0; ring < rings; ++ring) {
        const auto& rail = node[static_cast<std::size_t>(ring)];
        hop(rail.out, share / rings, pattern);
        hop(rail.in, share / rings, pattern);
      }
    }
  }
  void nvls(Pattern pattern) {
    const double reached = efficiency(pattern, Medium::nvlink, shape_->nvlink_generation);
    for (const auto& node : shape_->nvls_ports) {
      const double share = 1 + 1 / static_cast<double>(node.size());
      for (const auto& [out, in] : node) {
        segment(out, share, reached);
        segment(in, share, reached);
      }
    }
  }
  void pairs(Collective collective, int root) {
    const int ranks = shape_->ranks();
    const double share = collective == Collective::send_recv ? 1 : 1.0 / ranks;
    for (int from = 0; from < ranks; ++from) {
      for (int to = 0; to < ranks; ++to) {
        if (from == to || (collective == Collective::gather && to != root) ||
            (collective == Collective::scatter && from != root) ||
            (collective == Collective::send_recv && to != (from + 1) % ranks)) {
          continue;
        }
        hop(shape_->hop(from, to), share, Pattern::message);
      }
    }
  }
  std::vector<double> take() { return std::move(seconds_); }

 private:
  [[nodiscard]] int exits(std::size_t node, int rank, int rings) const {
    int count = 0;
    for (int ring = 0; ring < rings; ++ring) {
      if (shape_->rails[node][static_cast<std::size_t>(ring)].exit_rank == rank) ++count;
    }
    return count;
  }

  const Shape* shape_;
  std::vector<double> seconds_;
};

double tree_nic_share(const Shape& shape) { return 2.0 * (shape.nodes() - 1) / shape.nodes(); }

/// Bytes that cross between nodes, all together, for each byte of S.
double crossing(Collective collective, Algorithm algorithm, const Shape& shape) {
  const double nodes = shape.nodes();
  if (nodes < 2) return 0;
  if (messages(collective)) {
    const double mine = shape.ranks() / nodes;
    return collective == Collective::all_to_all ? shape.ranks() - mine : 1;
  }
  if (algorithm == Algorithm::ring) return nodes * ring_share(collective, shape.ranks());
  return algorithm == Algorithm::collnet ? nodes : nodes * tree_nic_share(shape);
}

double wire_latency(const Shape& shape) {
  double most = 0;
  for (const auto& node : shape.rails) {
    for (const auto& rail : node) most = std::max(most, hop_latency(rail.out, shape.nvlink_generation));
  }
  return most;
}

double chain_latency(const Shape& shape, std::size_t node) {
  const auto& ranks = shape.node_ranks[node];
  double sum = 0;
  for (std::size_t i = 0; i + 1 < ranks.size(); ++i) {
    sum += hop_latency(shape.hop(ranks[i], ranks[i + 1]), shape.nvlink_generation);
  }
  return sum;
}

double longest_chain(const Shape& shape) {
  double most = 0;
  for (std::size_t node = 0; node < shape.node_ranks.size(); ++node) most = std::max(most, chain_latency(shape, node));
  return most;
}

double ring_latency(Collective collective, const Shape& shape) {
  double once = (shape.nodes() - 1) * wire_latency(shape);
  for (std::size_t node = 0; node < shape.node_ranks.size(); ++node) once += chain_latency(shape, node);
  return base_latency(shape.nvlink_generation) + (collective == Collective::all_reduce ? 2 : 1) * once;
}

double message_latency_of(Collective collective, const Shape& shape) {
  double most = 0;
  for (int to = 1; to < shape.ranks(); ++to)
    most = std::max(most, hop_latency(shape.hop(0, to), shape.nvlink_generation));
  const int peers = collective == Collective::send_recv ? 1 : shape.ranks() - 1;
  return base_latency(shape.nvlink_generation) + most + 0.3e-6 * (peers - 1);
}

/// Latency and cost per byte of a protocol beside those of the algorithm: LL sends a flag with every 4 bytes of data,
/// LL128 one with every 120, Simple synchronises around whole pieces.
struct ProtocolCost {
  double latency = 1, per_byte = 1;
};
ProtocolCost cost_of(Protocol protocol) {
  switch (protocol) {
    case Protocol::ll:
      return {1, 3};
    case Protocol::ll128:
      return {1.15, 1 / 0.92};
    case Protocol::simple:
      return {1.6, 1};
  }
  return {};
}

double straight_seconds(Protocol protocol, double latency, double seconds_per_byte, double bytes) {
  const auto cost = cost_of(protocol);
  return latency * cost.latency + bytes * seconds_per_byte * cost.per_byte;
}

bool possible(Protocol protocol, Collective collective, Algorithm algorithm, const Shape& shape) {
  if (protocol == Protocol::simple) return true;
  if (messages(collective) || (algorithm != Algorithm::ring && algorithm != Algorithm::tree)) return false;
  return protocol == Protocol::ll || shape.nvlink_generation > 0;
}

struct Line {
  double latency, seconds_per_byte, bytes;
};
std::optional<Protocol> pick_protocol(Collective collective, Algorithm algorithm, const Shape& shape,
                                      const Choice& choice, const Line& line) {
  std::optional<Protocol> best;
  double least = 0;
  for (const auto protocol : choice.protocols) {
    if (!possible(protocol, collective, algorithm, shape)) continue;
    const double seconds = straight_seconds(protocol, line.latency, line.seconds_per_byte, line.bytes);
    if (best && seconds >= least) continue;
    best = protocol;
    least = seconds;
  }
  return best;
}

}  // namespace

std::string_view name_of(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::ring:
      return "RING";
    case Algorithm::tree:
      return "TREE";
    case Algorithm::nvls:
      return "NVLS";
    case Algorithm::nvls_tree:
      return "NVLS_TREE";
    case Algorithm::collnet:
      return "COLLNET_DIRECT";
  }
  return "?";
}

std::string_view name_of(Protocol protocol) {
  return protocol == Protocol::ll ? "LL" : protocol == Protocol::ll128 ? "LL128" : "SIMPLE";
}

bool possible(Collective collective, Algorithm algorithm, const Shape& shape) {
  if (algorithm == Algorithm::ring || messages(collective)) return algorithm == Algorithm::ring;
  if (collective != Collective::all_reduce) return false;
  switch (algorithm) {
    case Algorithm::nvls:
      return shape.nvls && shape.nodes() == 1 && shape.ranks() > 2;
    case Algorithm::nvls_tree:
      return shape.nvls && shape.nodes() > 1 && shape.ranks() > shape.nodes();
    case Algorithm::collnet:
      return shape.sharp && shape.nodes() > 1;
    default:
      return true;
  }
}

std::vector<double> loads(Collective collective, Algorithm algorithm, const Shape& shape, int root) {
  Loads loads(shape);
  if (messages(collective)) {
    loads.pairs(collective, root);
    return loads.take();
  }
  switch (algorithm) {
    case Algorithm::ring: {
      const double share = ring_share(collective, shape.ranks());
      loads.rings(share);
      loads.nics(share, Pattern::ring);
      break;
    }
    case Algorithm::tree:
      loads.chains(1, Pattern::tree);
      loads.nics(tree_nic_share(shape), Pattern::tree);
      break;
    case Algorithm::nvls:
      loads.nvls(Pattern::nvls);
      break;
    case Algorithm::nvls_tree:
      loads.nvls(Pattern::nvls_tree);
      loads.nics(tree_nic_share(shape), Pattern::nvls_tree);
      break;
    case Algorithm::collnet:
      shape.nvls ? loads.nvls(Pattern::nvls) : loads.chains(1, Pattern::tree);
      loads.nics(1, Pattern::nvls_tree);
      break;
  }
  return loads.take();
}

double latency(Collective collective, Algorithm algorithm, const Shape& shape) {
  if (messages(collective)) return message_latency_of(collective, shape);
  const double wire = shape.nodes() > 1 ? wire_latency(shape) : 0;
  const double levels = std::bit_width(static_cast<unsigned>(shape.nodes() - 1));  // rounded up log2 of the nodes
  const auto gpus = static_cast<int>(shape.node_ranks.front().size());
  switch (algorithm) {
    case Algorithm::ring:
      return ring_latency(collective, shape);
    case Algorithm::tree:
      return base_latency(shape.nvlink_generation) + 2 * (longest_chain(shape) + levels * wire);
    case Algorithm::nvls:
      return nvls_latency(shape.nvlink_generation, gpus);
    case Algorithm::nvls_tree:
      return nvls_latency(shape.nvlink_generation, gpus) + 2 * levels * wire;
    case Algorithm::collnet:
      return base_latency(shape.nvlink_generation) + 2 * (longest_chain(shape) + wire);
  }
  return 0;
}

double seconds_per_byte(Collective collective, Algorithm algorithm, const Shape& shape,
                        const std::vector<double>& loads) {
  const double most = loads.empty() ? 0 : *std::ranges::max_element(loads);
  if (shape.spine_rate <= 0) return most;
  const auto pattern = algorithm == Algorithm::ring ? Pattern::ring : Pattern::nvls_tree;
  const double reached = efficiency(messages(collective) ? Pattern::message : pattern, Medium::nic, 0);
  return std::max(most, crossing(collective, algorithm, shape) / (shape.spine_rate * reached));
}

double transfer_seconds(Collective collective, Protocol protocol, double latency, double seconds_per_byte,
                        double bytes) {
  if (messages(collective)) return latency + bytes * seconds_per_byte;
  // The curve was measured with the protocols left free: none of them alone is faster.
  return std::max(straight_seconds(protocol, latency, seconds_per_byte, bytes),
                  curve_seconds(latency, seconds_per_byte, bytes));
}

std::optional<Estimate> estimate(Collective collective, const Shape& shape, double bytes, const Choice& choice,
                                 int root) {
  std::optional<Estimate> best;
  for (const auto algorithm : choice.algorithms) {
    if (!possible(collective, algorithm, shape)) continue;
    const double floor = latency(collective, algorithm, shape);
    const double per_byte = seconds_per_byte(collective, algorithm, shape, loads(collective, algorithm, shape, root));
    const auto protocol = pick_protocol(collective, algorithm, shape, choice, {floor, per_byte, bytes});
    if (!protocol) continue;
    const double seconds = transfer_seconds(collective, *protocol, floor, per_byte, bytes);
    if (!best || seconds < best->seconds) best = Estimate{algorithm, *protocol, floor, per_byte, seconds};
  }
  return best;
}

double message_latency(const Hop& hop) { return 8e-6 + hop_latency(hop, 4); }

double message_load(const Hop& hop, const Segment& segment) {
  return 1 / (segment.rate * efficiency(Pattern::message, hop.medium, 0));
}

}  // namespace emulator::nccl
