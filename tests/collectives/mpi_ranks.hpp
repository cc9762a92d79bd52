#pragma once

#include "collectives/mpi/mpi_session.hpp"
#include "core/layout.hpp"

namespace assay {

/// MPI of this test process, started on first use.
MpiSession& session();

/// All ranks of the mpirun.
inline Group& world() { return session().world(); }

/// The ranks of the mpirun as if the upper half of them sat on a second node.
Layout two_nodes();

}  // namespace assay
