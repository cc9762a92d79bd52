#include "collectives/mpi/collective.hpp"
#include "core/registry.hpp"

namespace assay::mpi {

namespace {

void call(const Operands& o) {
  check(MPI_Allreduce(o.send, o.receive, o.count, o.type, MPI_SUM, o.communicator), "MPI_Allreduce");
}

const Register registered(describe({.name = "mpi.all_reduce",
                                    .summary = "MPI_Allreduce (sum): every rank gets the sum of all ranks' buffers",
                                    .send = Blocks::one,
                                    .receive = Blocks::one,
                                    .result = Result::sum,
                                    .bus_factor = factor_all_reduce,
                                    .call = call}));

}  // namespace

}  // namespace assay::mpi
