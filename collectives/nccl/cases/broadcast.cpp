#include "collectives/nccl/collective.hpp"
#include "collectives/nccl/factors.hpp"
#include "core/registry.hpp"

namespace assay::nccl {

namespace {

ncclResult_t call(const Library& library, const Operands& o) {
  return library.broadcast(o.send, o.receive, o.count, o.type, 0, o.communicator, o.stream);
}

const Register registered(describe({.name = "nccl.broadcast",
                                    .summary = "ncclBroadcast: all GPUs get the buffer of one",
                                    .kind = {.function = "Broadcast",
                                             .senders = Who::root,
                                             .result = Result::from_root,
                                             .bus_factor = factor_one,
                                             .call = call}}));

}  // namespace

}  // namespace assay::nccl
