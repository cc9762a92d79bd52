#include "collectives/nccl/collective.hpp"
#include "collectives/nccl/factors.hpp"
#include "core/registry.hpp"

namespace assay::nccl {

namespace {

ncclResult_t call(const Library& library, const Operands& o) {
  return library.reduce(o.send, o.receive, o.count, o.type, ncclSum, 0, o.communicator, o.stream);
}

const Register registered(describe({.name = "nccl.reduce",
                                    .summary = "ncclReduce (sum): one GPU gets the sum of all buffers",
                                    .kind = {.function = "Reduce",
                                             .receivers = Who::root,
                                             .result = Result::sum,
                                             .bus_factor = factor_one,
                                             .call = call},
                                    .from = Suite::standard}));

}  // namespace

}  // namespace assay::nccl
