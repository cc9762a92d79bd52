#include "collectives/nccl/collective.hpp"
#include "collectives/nccl/factors.hpp"
#include "core/registry.hpp"

namespace assay::nccl {

namespace {

ncclResult_t call(const Library& library, const Operands& o) {
  return library.reduce_scatter(o.send, o.receive, o.count, o.type, ncclSum, o.communicator, o.stream);
}

const Register registered(describe({.name = "nccl.reduce_scatter",
                                    .summary = "ncclReduceScatter (sum): each GPU gets its block of the sum",
                                    .kind = {.function = "ReduceScatter",
                                             .send = Blocks::per_rank,
                                             .result = Result::sum,
                                             .bus_factor = factor_exchange,
                                             .call = call},
                                    .algorithms = Algorithms::ring_only}));

}  // namespace

}  // namespace assay::nccl
