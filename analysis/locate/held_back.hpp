#pragma once

#include <cstdint>
#include <vector>

#include "analysis/locate/observations.hpp"

namespace assay::locate {

/// Uplinks that are shared by more rows than they carry at full rate hold all rows of an island in a round back alike:
/// these say nothing about single parts, and leave the observations for a group of their own that is only counted. An
/// uplink that is slow in every round, while those of most islands never are, is a culprit like any other: its rows
/// stay. `leaf_of`: island of each end, -1 unknown. Cost: O(rows log rows).
void set_held_back_apart(const PairMatrix& matrix, const std::vector<std::int32_t>& leaf_of,
                         Observations& observations);

}  // namespace assay::locate
