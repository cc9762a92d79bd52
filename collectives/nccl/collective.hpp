#pragma once

#include <optional>

#include "collectives/nccl/axes.hpp"
#include "collectives/nccl/operation.hpp"
#include "core/case.hpp"

namespace assay::nccl {

/// What a collective's description has beside its operation.
struct CollectiveCase {
  const char* name;
  const char* summary;
  OperationKind kind;
  std::vector<Size> (*sizes)() = single_sizes;
  Suite from = Suite::quick;                  ///< the smallest suite that has it over all GPUs
  Suite node_from = Suite::standard;          ///< and in each node alone
  std::optional<Algorithms> algorithms = {};  ///< none: NCCL has no choice, or none that matters
  bool in_place = true;                       ///< NCCL allows it
  Direction direction = Direction::none;
};

/// The description to register. Axes: bytes, dtype (of sums), ranks, algo and place where there is a choice.
[[nodiscard]] CaseInfo describe(const CollectiveCase& collective);

}  // namespace assay::nccl
