// Both members of a pair send and receive at once, in rounds of a tournament: the disjoint pairs of a round work at the
// same time. Level node: every GPU of a node with the one of equal number on the other node; level gpu: two GPUs of a
// node, the same pairs on every node. The figure counts the bytes of both ways.

#include <string>

#include "collectives/nccl/axes.hpp"
#include "collectives/nccl/exchanges.hpp"
#include "collectives/nccl/factors.hpp"
#include "collectives/nccl/operation_case.hpp"
#include "core/registry.hpp"

namespace assay::nccl {

namespace {

ncclResult_t call(const Library& library, const Operands& o) { return exchange(library, o); }

constexpr OperationKind kind{
    .result = Result::from_peer, .peers = Peers::partner, .bus_factor = factor_one, .call = call};

std::unique_ptr<Case> make(Context& context, const Point& point) {
  OperationSetup setup;
  setup.kind = kind;
  setup.bytes = point.integer("bytes");
  setup.keeping = Communicators::Keeping::for_one_case;
  setup.work = {WorkKind::bytes, static_cast<double>(setup.bytes) * context.group.size(), Direction::both_ways, 1};
  return std::make_unique<OperationCase>(context, setup);
}

CaseInfo pairs() {
  CaseInfo info;
  info.name = "nccl.pairs";
  info.summary = "ncclSend and ncclRecv of pairs of nodes or GPUs, in rounds of disjoint pairs at once";
  info.needs.gpus = 2;
  info.needs.nccl = true;
  info.timing = Timing::device;
  info.longest_batch = OperationCase::longest_batch;
  info.axes = [](const Layout& layout) {
    return std::vector<Axis>{{"bytes", {{"67108864"}}}, level_axis(layout), round_axis(layout)};
  };
  info.sets = [](const Layout& layout, const Point& point) {
    return pair_sets(layout, point.get("level"), std::stoi(point.get("round")));
  };
  info.make = make;
  return info;
}

const Register registered(pairs());

}  // namespace

}  // namespace assay::nccl
