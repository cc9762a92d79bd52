#include "tests/emulator/nccl/operation.hpp"

#include "tests/emulator/nccl/area.hpp"

namespace emulator::nccl {

const char* name_of(Collective collective) {
  switch (collective) {
    case Collective::all_reduce:
      return "AllReduce";
    case Collective::all_gather:
      return "AllGather";
    case Collective::reduce_scatter:
      return "ReduceScatter";
    case Collective::broadcast:
      return "Broadcast";
    case Collective::reduce:
      return "Reduce";
    case Collective::all_to_all:
      return "AlltoAll";
    case Collective::gather:
      return "Gather";
    case Collective::scatter:
      return "Scatter";
    case Collective::send_recv:
      return "SendRecv";
  }
  return "?";
}

Plan plan_of(Collective collective, Algorithm algorithm, const Shape& shape, int root) {
  Plan plan{.collective = collective,
            .algorithm = algorithm,
            .latency = latency(collective, algorithm, shape),
            .loads = loads(collective, algorithm, shape, root),
            .announced = std::vector<std::vector<int>>(static_cast<std::size_t>(shape.ranks()))};
  for (std::size_t i = 0; i < plan.loads.size(); ++i) {
    const auto& segment = shape.segments[i];
    if (plan.loads[i] <= 0 || segment.resource < 0) continue;
    auto& mine = plan.announced[static_cast<std::size_t>(segment.owner)];
    if (mine.size() < Posting{}.users.size()) mine.push_back(static_cast<int>(i));
  }
  return plan;
}

namespace {

bool has_blocks_on_send(Collective collective) {
  return collective == Collective::reduce_scatter || collective == Collective::all_to_all ||
         collective == Collective::scatter;
}

bool has_blocks_on_receive(Collective collective) {
  return collective == Collective::all_gather || collective == Collective::all_to_all ||
         collective == Collective::gather;
}

}  // namespace

std::size_t send_bytes(const Call& call, int ranks, int rank) {
  const auto block = call.count * size_of(call.type);
  const bool root_only = call.collective == Collective::broadcast || call.collective == Collective::scatter;
  if (root_only && rank != call.root) return 0;
  return has_blocks_on_send(call.collective) ? block * static_cast<std::size_t>(ranks) : block;
}

std::size_t receive_bytes(const Call& call, int ranks, int rank) {
  const auto block = call.count * size_of(call.type);
  const bool root_only = call.collective == Collective::reduce || call.collective == Collective::gather;
  if (root_only && rank != call.root) return 0;
  return has_blocks_on_receive(call.collective) ? block * static_cast<std::size_t>(ranks) : block;
}

double size_of(const Call& call, int ranks) {
  const auto block = static_cast<double>(call.count * size_of(call.type));
  const bool blocks = has_blocks_on_send(call.collective) || has_blocks_on_receive(call.collective);
  return blocks ? block * ranks : block;
}

}  // namespace emulator::nccl
