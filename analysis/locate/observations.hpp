#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/locate/pair_matrix.hpp"

namespace assay::locate {

/// One row of a matrix, boiled down.
struct Observation {
  std::int32_t row = 0;
  std::int32_t group = 0;  ///< of rows that a sound machine serves alike
  double value = 0;        ///< ln cost: the lower quartile of its epochs, which one or two disturbed epochs do not move
  double log_chance = 0;   ///< ln of the probability that so many of its epochs were disturbed by chance
};

/// What is alike: rows within a node, within an island, across islands; on equal rails and across rails.
struct Group {
  std::string name;  ///< "across nodes, same rail"
  std::int32_t count = 0;
};

struct Observations {
  std::vector<Observation> all;
  std::vector<Group> groups;
  double within_sigma = 0;     ///< of one epoch of one row around the row's median, run-wide offsets removed
  double disturbed_share = 0;  ///< of epochs that are far slower than their row's median: stragglers
  double value_sigma = 0;      ///< what within_sigma leaves in an observation's value
};

/// Takes run-wide offsets of epochs and rounds out (median over the rows of their deviation from their own median), and
/// boils each row down. Rows without a cost are left out, and those of groups with fewer than three: they have no like
/// to compare with (Group::count says how many there were). `leaf_of`: as for append_parts.
/// Cost: O(costs log costs).
[[nodiscard]] Observations observe(const PairMatrix& matrix, const std::vector<std::int32_t>& leaf_of);

}  // namespace assay::locate
