#include "collectives/nccl/collective.hpp"
#include "collectives/nccl/factors.hpp"
#include "core/registry.hpp"

namespace assay::nccl {

namespace {

ncclResult_t call(const Library& library, const Operands& o) {
  return library.all_gather(o.send, o.receive, o.count, o.type, o.communicator, o.stream);
}

const Register registered(describe(
    {.name = "nccl.all_gather",
     .summary = "ncclAllGather: every GPU gets the blocks of all",
     .kind = {.function = "AllGather", .receive = Blocks::per_rank, .bus_factor = factor_exchange, .call = call},
     .algorithms = Algorithms::ring_only}));

}  // namespace

}  // namespace assay::nccl
