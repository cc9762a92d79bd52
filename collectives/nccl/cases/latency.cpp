// Latency of a sum over all GPUs, one at a time: from the event before its launch to the end of the operation, with the
// host waiting for the end of each. As a graph, NCCL's work on the host is done once, when the graph is recorded.

#include <algorithm>

#include "collectives/nccl/axes.hpp"
#include "collectives/nccl/factors.hpp"
#include "collectives/nccl/operation_case.hpp"
#include "core/registry.hpp"

namespace assay::nccl {

namespace {

ncclResult_t call(const Library& library, const Operands& o) {
  return library.all_reduce(o.send, o.receive, o.count, o.type, ncclSum, o.communicator, o.stream);
}

constexpr OperationKind kind{
    .function = "AllReduce", .result = Result::sum, .bus_factor = factor_all_reduce, .call = call};

std::unique_ptr<Case> make(Context& context, const Point& point) {
  OperationSetup setup;
  setup.kind = kind;
  setup.bytes = point.integer("bytes");
  setup.pace = point.get("kind") == "graph" ? Pace::as_graph : Pace::one_at_a_time;
  setup.work = {WorkKind::latency, 1, Direction::none, 1};
  return std::make_unique<OperationCase>(context, setup);
}

CaseInfo latency() {
  CaseInfo info;
  info.name = "nccl.latency";
  info.summary = "ncclAllReduce one at a time: latency, launched into a stream or as a graph";
  info.needs.gpus = 2;
  info.needs.nccl = true;
  info.timing = Timing::device;
  info.longest_batch = OperationCase::longest_batch;
  info.axes = [](const Layout& layout) {
    Axis ranks = ranks_axis(layout);
    for (AxisValue& value : ranks.values)
      if (value.value != "all") value.from = std::max(value.from, Suite::standard);
    return std::vector<Axis>{{"bytes", {{"8"}, {"1024", Suite::full}, {"65536", Suite::standard}}},
                             {"kind", {{"stream"}, {"graph"}}},
                             ranks};
  };
  info.sets = [](const Layout& layout, const Point& point) { return ranks_sets(layout, point.get("ranks")); };
  info.make = make;
  return info;
}

const Register registered(latency());

}  // namespace

}  // namespace assay::nccl
