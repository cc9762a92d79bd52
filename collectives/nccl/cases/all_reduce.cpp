#include "collectives/nccl/collective.hpp"
#include "collectives/nccl/factors.hpp"
#include "core/registry.hpp"

namespace assay::nccl {

namespace {

ncclResult_t call(const Library& library, const Operands& o) {
  return library.all_reduce(o.send, o.receive, o.count, o.type, ncclSum, o.communicator, o.stream);
}

const Register registered(
    describe({.name = "nccl.all_reduce",
              .summary = "ncclAllReduce (sum): every GPU gets the sum of all buffers",
              .kind = {.function = "AllReduce", .result = Result::sum, .bus_factor = factor_all_reduce, .call = call},
              .sizes = sweep_sizes,
              .node_from = Suite::quick,
              .algorithms = Algorithms::all_reduce}));

}  // namespace

}  // namespace assay::nccl
