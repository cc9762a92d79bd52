#pragma once

#include "analysis/run_data.hpp"
#include "tests/detection_trial/synthetic_cluster.hpp"

namespace trial {

/// Measures the cluster as the program would, round by round of its schedules, and writes down the series of a run.
[[nodiscard]] assay::RunData record(Cluster& cluster, std::uint64_t seed);

}  // namespace trial
