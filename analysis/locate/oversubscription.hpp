#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/locate/pair_matrix.hpp"
#include "core/statistics.hpp"

namespace assay::locate {

/// How much narrower the way between islands is than what their ends could send, as seen from the ends.
struct Oversubscription {
  double ratio = 1;         ///< ends of an island at full rate over what its uplinks carry; 1 = nothing is held back
  Interval interval;        ///< over the islands (order statistics); of one island: over its rounds
  bool only_bound = false;  ///< no uplink was ever full: the true ratio is at most `ratio`
  double together = 1;      ///< share of full rate that all pairs of a round reach, each a random bisection (median)
  Interval together_interval;
  int islands = 0;
  int full_uplinks = 0;  ///< rounds and islands in which an uplink held its pairs back
  std::string matrix;
  std::string sentence;
};

/// From pairs measured at the same time, without access to switches. Full rate is that of pairs within an island
/// (densest half). In each round the rates of an island's pairs that leave it are added up, in units of the full rate;
/// where they stay below 97 % of their number the uplink is taken to be full, and the largest sums (90th percentile
/// over such rounds; others were held back at their far end) are what it carries. Ratio of an island: its ends that
/// take part over that; of the fabric: the median over the islands. Nothing without islands, with rates missing on
/// either side, or for latencies. Cost: O(rows log rows).
[[nodiscard]] std::optional<Oversubscription> oversubscription_of(const PairMatrix& matrix,
                                                                  const std::vector<std::int32_t>& leaf_of);

}  // namespace assay::locate
