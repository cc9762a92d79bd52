#include "collectives/nccl/collective.hpp"
#include "collectives/nccl/exchanges.hpp"
#include "collectives/nccl/factors.hpp"
#include "core/registry.hpp"

namespace assay::nccl {

namespace {

ncclResult_t call(const Library& library, const Operands& o) { return gather(library, o); }

const Register registered(describe(
    {.name = "nccl.gather",
     .summary = "Gather: one GPU gets the blocks of all (ncclGather, or sends and receives)",
     .kind = {.receive = Blocks::per_rank, .receivers = Who::root, .bus_factor = factor_exchange, .call = call},
     .from = Suite::standard}));

}  // namespace

}  // namespace assay::nccl
