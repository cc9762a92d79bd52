#include "collectives/nccl/collective.hpp"
#include "collectives/nccl/exchanges.hpp"
#include "collectives/nccl/factors.hpp"
#include "core/registry.hpp"

namespace assay::nccl {

namespace {

ncclResult_t call(const Library& library, const Operands& o) { return exchange(library, o); }

const Register registered(
    describe({.name = "nccl.send_recv",
              .summary = "ncclSend to the next GPU and ncclRecv from the one before, in a ring",
              .kind = {.result = Result::from_peer, .peers = Peers::ring, .bus_factor = factor_one, .call = call},
              .in_place = false,
              .direction = Direction::one_way}));

}  // namespace

}  // namespace assay::nccl
