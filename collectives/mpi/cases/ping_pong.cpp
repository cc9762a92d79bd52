// Latency: half the round trip of a blocking MPI_Send/MPI_Recv ping-pong (as OSU osu_latency), each round trip timed
// on its own, for one pair while all other ranks sleep. Both ranks' messages are verified.

#include "collectives/mpi/axes.hpp"
#include "collectives/mpi/point_to_point.hpp"
#include "core/registry.hpp"

namespace assay::mpi {

namespace {

constexpr std::uint64_t largest_bytes = std::uint64_t{1} << 26;
constexpr Work one_way_latency{WorkKind::latency, 2, Direction::one_way, 1};

CaseInfo ping_pong() {
  CaseInfo info;
  info.name = "mpi.ping_pong";
  info.summary = "MPI_Send/MPI_Recv round trips of one pair: latency one way";
  info.needs.ranks = 2;
  info.axes = [](const Layout& layout) { return std::vector<Axis>{bytes_axis(largest_bytes), between_axis(layout)}; };
  info.sets = between_sets;
  info.make = [](Context& context, const Point& point) {
    return std::make_unique<PingPong>(context, point.integer("bytes"), one_way_latency);
  };
  return info;
}

const Register registered(ping_pong());

}  // namespace

}  // namespace assay::mpi
