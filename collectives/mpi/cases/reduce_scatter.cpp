#include "collectives/mpi/collective.hpp"
#include "core/registry.hpp"

namespace assay::mpi {

namespace {

void call(const Operands& o) {
  check(MPI_Reduce_scatter_block(o.send, o.receive, o.count, o.type, MPI_SUM, o.communicator),
        "MPI_Reduce_scatter_block");
}

const Register registered(describe({.name = "mpi.reduce_scatter",
                                    .summary = "MPI_Reduce_scatter_block (sum): each rank gets its block of the sum",
                                    .send = Blocks::per_rank,
                                    .receive = Blocks::one,
                                    .result = Result::sum,
                                    .bus_factor = factor_exchange,
                                    .call = call}));

}  // namespace

}  // namespace assay::mpi
