#include "collectives/nccl/collective.hpp"
#include "collectives/nccl/exchanges.hpp"
#include "collectives/nccl/factors.hpp"
#include "core/registry.hpp"

namespace assay::nccl {

namespace {

ncclResult_t call(const Library& library, const Operands& o) { return scatter(library, o); }

const Register registered(
    describe({.name = "nccl.scatter",
              .summary = "Scatter: each GPU gets its block of one (ncclScatter, or sends and receives)",
              .kind = {.send = Blocks::per_rank,
                       .senders = Who::root,
                       .result = Result::from_root,
                       .bus_factor = factor_exchange,
                       .call = call},
              .from = Suite::standard}));

}  // namespace

}  // namespace assay::nccl
