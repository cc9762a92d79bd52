#include "collectives/mpi/collective.hpp"
#include "core/registry.hpp"

namespace assay::mpi {

namespace {

void call(const Operands& o) {
  check(MPI_Allgather(o.send, o.count, o.type, o.receive, o.count, o.type, o.communicator), "MPI_Allgather");
}

const Register registered(describe({.name = "mpi.all_gather",
                                    .summary = "MPI_Allgather: every rank gets every rank's block",
                                    .send = Blocks::one,
                                    .receive = Blocks::per_rank,
                                    .result = Result::from_rank,
                                    .bus_factor = factor_exchange,
                                    .call = call}));

}  // namespace

}  // namespace assay::mpi
