#pragma once

#include <string>

#include "collectives/nccl/operation.hpp"
#include "core/case.hpp"

namespace assay::nccl {

/// Collective over context.group: tries a small operation of the kind in every pair of neighbours of the set, each
/// within `patience` for the start of a communicator and again for the operation, and says who does not answer; empty
/// when all do. Never throws for what it finds.
[[nodiscard]] std::string probe_neighbours(Context& context, const OperationKind& kind, Seconds patience);

}  // namespace assay::nccl
