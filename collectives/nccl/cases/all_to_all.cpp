#include "collectives/nccl/collective.hpp"
#include "collectives/nccl/exchanges.hpp"
#include "collectives/nccl/factors.hpp"
#include "core/registry.hpp"

namespace assay::nccl {

namespace {

ncclResult_t call(const Library& library, const Operands& o) { return all_to_all(library, o); }

const Register registered(describe(
    {.name = "nccl.all_to_all",
     .summary = "All-to-all: every GPU has a block for each (ncclAlltoAll, or sends and receives)",
     .kind = {.send = Blocks::per_rank, .receive = Blocks::per_rank, .bus_factor = factor_exchange, .call = call},
     .in_place = false}));

}  // namespace

}  // namespace assay::nccl
