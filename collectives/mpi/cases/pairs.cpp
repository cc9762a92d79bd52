// The full pair matrix, in rounds of a round-robin tournament: the disjoint pairs of a round work at the same time, so
// links are loaded as in real use; mpi.ping_pong and mpi.bandwidth give the figure of a single pair.
// Both sizes are ping-pongs of blocking MPI_Send/MPI_Recv, one round trip of t seconds per iteration:
//   8 B    latency one way = t / 2
//   4 MiB  bandwidth one way = bytes / (t / 2): one message at a time, each direction in turn, hence below what a
//          window of messages reaches, but without its 64 MiB of buffers per rank.
// Axis `round`: 0, 1, ... pair ranks. With more than 64 ranks on several nodes these rounds belong to the full suite,
// and the smaller suites have node0, node1, ...: rounds between the first ranks of the nodes.

#include <algorithm>
#include <string>

#include "collectives/mpi/point_to_point.hpp"
#include "core/registry.hpp"

namespace assay::mpi {

namespace {

constexpr std::string_view node_prefix = "node";
constexpr int all_ranks_limit = 64;
constexpr std::uint64_t latency_bytes = 8;

Axis round_axis(const Layout& layout) {
  Axis axis{"round", {}};
  const bool nodes_first = layout.ranks() > all_ranks_limit && layout.nodes() > 1;
  for (int round = 0; nodes_first && round < tournament_rounds(layout.nodes()); ++round)
    axis.values.push_back({std::string(node_prefix) + std::to_string(round)});
  for (int round = 0; round < tournament_rounds(layout.ranks()); ++round)
    axis.values.push_back({std::to_string(round), nodes_first ? Suite::full : Suite::quick});
  return axis;
}

RankSets round_sets(const Layout& layout, const Point& point) {
  const std::string& round = point.get("round");
  if (!round.starts_with(node_prefix)) return tournament_round(layout.ranks(), std::stoi(round));
  RankSets pairs = tournament_round(layout.nodes(), std::stoi(round.substr(node_prefix.size())));
  for (auto& pair : pairs) {
    for (int& member : pair) member = layout.ranks_on(member).front();
    std::ranges::sort(pair);
  }
  return pairs;
}

Work work_of(std::uint64_t bytes) {
  if (bytes == latency_bytes) return {WorkKind::latency, 2, Direction::one_way, 1};
  return {WorkKind::bytes, 2 * static_cast<double>(bytes), Direction::one_way, 1};
}

CaseInfo pairs() {
  CaseInfo info;
  info.name = "mpi.pairs";
  info.summary = "ping-pong of every pair of ranks, in rounds of disjoint pairs at once";
  info.needs.ranks = 2;
  info.axes = [](const Layout& layout) {
    return std::vector<Axis>{{"bytes", {{std::to_string(latency_bytes)}, {"4194304"}}}, round_axis(layout)};
  };
  info.sets = round_sets;
  info.make = [](Context& context, const Point& point) {
    const std::uint64_t bytes = point.integer("bytes");
    return std::make_unique<PingPong>(context, bytes, work_of(bytes));
  };
  return info;
}

const Register registered(pairs());

}  // namespace

}  // namespace assay::mpi
