#pragma once

#include <string>
#include <vector>

#include "core/layout.hpp"
#include "results/record.hpp"

namespace assay {

/// What all ranks have told about where they sit; on rank 0.
struct PlacementFacts {
  const Layout& layout;
  const std::vector<results::RankRow>& ranks;
  const std::vector<results::GpuRow>& gpus;
  const std::vector<std::string>& why_not;  ///< by rank: why it has no GPU; empty with one
};

/// Rank -> GPU -> NIC -> cores, one line for each rank; with more than 16 ranks one line for each way that nodes are
/// laid out. Empty when no rank has a GPU.
[[nodiscard]] std::vector<std::string> placement_table(const PlacementFacts& facts);

struct Finding {
  std::string severity;  ///< info, warning
  std::string text;
};

/// What is not as it should be: ranks without a GPU and why (each reason once, with its hosts), GPUs that no rank works
/// on, nodes with fewer GPUs than others, GPUs shared, different models, other people's processes.
[[nodiscard]] std::vector<Finding> placement_findings(const PlacementFacts& facts);

/// What nodes say of themselves, each different text once with the hosts that say it. `notes` by node.
[[nodiscard]] std::vector<Finding> grouped_notes(const Layout& layout, const std::vector<std::vector<Finding>>& notes);

}  // namespace assay
