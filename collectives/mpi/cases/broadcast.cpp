#include "collectives/mpi/collective.hpp"
#include "core/registry.hpp"

namespace assay::mpi {

namespace {

void call(const Operands& o) { check(MPI_Bcast(o.receive, o.count, o.type, 0, o.communicator), "MPI_Bcast"); }

const Register registered(describe({.name = "mpi.broadcast",
                                    .summary = "MPI_Bcast: every rank gets rank 0's buffer",
                                    .send = Blocks::one,
                                    .receive = Blocks::one,
                                    .result = Result::from_root,
                                    .bus_factor = factor_one,
                                    .call = call}));

}  // namespace

}  // namespace assay::mpi
