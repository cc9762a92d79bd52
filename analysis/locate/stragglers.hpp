#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/run_data.hpp"
#include "core/statistics.hpp"

namespace assay::locate {

/// How a rank keeps the others of a collective waiting.
enum class Tardiness {
  arrives_late,  ///< it enters after the others: they wait for it, it waits for nobody, its own time is the shortest
  ends_late,     ///< it leaves after the others: its own time is the longest
};

struct Straggler {
  int rank = -1;
  Tardiness tardiness = Tardiness::arrives_late;
  double delay = 0;                ///< median over the iterations of its distance from the median rank [s]
  Interval delay_interval;         ///< 95 %, order statistics over the epochs' medians
  double relative = 0;             ///< the delay over the median rank's time
  double share = 0;                ///< of the iterations in which it is off by more than half of the delay
  std::vector<std::string> cases;  ///< where, largest relative delay first
  std::string sentence;
};

struct StragglerOptions {
  double false_alarms = 2e-3;  ///< for all collectives of a run together
  double least_relative = 0.03;
  double least_share = 0.6;  ///< of iterations; a rank that is sometimes late is noise
};

/// seconds[rank][iteration] of one series of a collective, ranks in the order of `ranks`.
struct RankTimes {
  std::string name;  ///< of case and point
  std::int32_t epoch = 0;
  std::vector<int> ranks;
  std::vector<double> seconds;  ///< rank-major
};

/// Ranks that stand out in series of one case, point and set. Per iteration each rank's time is compared with the
/// median rank's; a rank's deviation is the median over the epochs of its median over the iterations. It stands out
/// when that exceeds, against the spread of the other ranks' deviations (shorth), what chance gives the most extreme of
/// all ranks (Bonferroni over `comparisons`), is at least `least_relative`, and shows in at least `least_share` of the
/// iterations. With fewer than four ranks nothing can be said. Cost: O(samples log ranks).
[[nodiscard]] std::vector<Straggler> stragglers_in(const std::vector<RankTimes>& epochs, double comparisons,
                                                   const StragglerOptions& options = {});

/// Of the collectives in which all ranks do the same (all_reduce, all_gather, reduce_scatter, all_to_all): a root or a
/// leaf of a tree is early or late by design. One entry for each rank and way.
[[nodiscard]] std::vector<Straggler> find_stragglers(const RunData& run, const StragglerOptions& options = {});

}  // namespace assay::locate
