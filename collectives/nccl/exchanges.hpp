#pragma once

#include "collectives/nccl/operation.hpp"

namespace assay::nccl {

// Operations made of sends and receives: NCCL's own from 2.28 on, a group of ncclSend and ncclRecv before.

[[nodiscard]] ncclResult_t all_to_all(const Library& library, const Operands& operands);
/// To rank 0.
[[nodiscard]] ncclResult_t gather(const Library& library, const Operands& operands);
/// From rank 0.
[[nodiscard]] ncclResult_t scatter(const Library& library, const Operands& operands);
/// Sends to `to` and receives from `from` at once.
[[nodiscard]] ncclResult_t exchange(const Library& library, const Operands& operands);

}  // namespace assay::nccl
