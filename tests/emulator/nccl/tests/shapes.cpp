#include "tests/emulator/nccl/tests/shapes.hpp"

namespace emulator::nccl::tests {
namespace {

Hop hop_between(const Machine& machine, int from, int to) {
  if (from == to) return {};
  const auto inside = machine.generation > 0 ? Medium::nvlink : Medium::host;
  const int node_from = from / machine.gpus, node_to = to / machine.gpus;
  if (node_from == node_to) return {.medium = inside, .out = {2 * from}, .in = {2 * to + 1}};
  const int out = from % machine.gpus * machine.nics / machine.gpus,
            in = to % machine.gpus * machine.nics / machine.gpus;
  return {.medium = Medium::nic,
          .out = {nic_segment(machine, node_from, out)},
          .in = {nic_segment(machine, node_to, in) + 1},
          .gdr = true};
}

}  // namespace

int nic_segment(const Machine& machine, int node, int nic) {
  return 2 * (machine.nodes * machine.gpus + node * machine.nics + nic);
}

Shape shape_of(const Machine& machine) {
  Shape shape;
  const int ranks = machine.nodes * machine.gpus;
  shape.nvlink_generation = machine.generation;
  shape.nvls = machine.nvls;
  shape.node_ranks.resize(static_cast<std::size_t>(machine.nodes));
  shape.nvls_ports.resize(static_cast<std::size_t>(machine.nodes));
  shape.rails.resize(static_cast<std::size_t>(machine.nodes));
  for (int rank = 0; rank < ranks; ++rank) {
    const auto node = static_cast<std::size_t>(rank / machine.gpus);
    shape.node_of.push_back(rank / machine.gpus);
    shape.node_ranks[node].push_back(rank);
    shape.nvls_ports[node].emplace_back(2 * rank, 2 * rank + 1);
    shape.segments.insert(shape.segments.end(), 2, {.rate = machine.gpu_rate, .owner = rank});
  }
  for (int node = 0; node < machine.nodes; ++node) {
    for (int nic = 0; nic < machine.nics; ++nic) {
      const int out = nic_segment(machine, node, nic);
      shape.segments.insert(shape.segments.end(), 2, {.rate = machine.nic_rate, .node = node, .nic = nic});
      shape.rails[static_cast<std::size_t>(node)].push_back(
          {.out = {.medium = Medium::nic, .out = {out}, .in = {}},
           .in = {.medium = Medium::nic, .out = {}, .in = {out + 1}},
           .exit_rank = node * machine.gpus + nic * machine.gpus / machine.nics});
    }
  }
  shape.hops.resize(static_cast<std::size_t>(ranks));
  for (int from = 0; from < ranks; ++from) {
    for (int to = 0; to < ranks; ++to) {
      shape.hops[static_cast<std::size_t>(from)].push_back(hop_between(machine, from, to));
    }
  }
  return shape;
}

}  // namespace emulator::nccl::tests
