#include "collectives/mpi/collective.hpp"
#include "core/registry.hpp"

namespace assay::mpi {

namespace {

void call(const Operands& o) {
  check(MPI_Alltoall(o.send, o.count, o.type, o.receive, o.count, o.type, o.communicator), "MPI_Alltoall");
}

const Register registered(describe({.name = "mpi.all_to_all",
                                    .summary = "MPI_Alltoall: every rank sends a block of its own to every other",
                                    .send = Blocks::per_rank,
                                    .receive = Blocks::per_rank,
                                    .result = Result::from_rank,
                                    .bus_factor = factor_exchange,
                                    .call = call}));

}  // namespace

}  // namespace assay::mpi
