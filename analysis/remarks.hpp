#pragma once

#include <string>
#include <vector>

#include "analysis/run_data.hpp"

namespace assay {

/// What is odd about a run as a whole, whatever the offer says: rows missing, ranks without a GPU on nodes that have
/// some, GPUs that no rank measures on, different GPU models or drivers in one run. One sentence each; pure.
[[nodiscard]] std::vector<std::string> remarks(const RunData& run);

}  // namespace assay
