#pragma once

#include <cstdint>
#include <vector>

#include "analysis/locate/candidates.hpp"
#include "analysis/locate/observations.hpp"

namespace assay::locate {

struct SearchOptions {
  double false_alarms = 7e-3;  ///< wanted bound of the probability that a sound matrix yields any culprit
  double least_effect = 0.03;  ///< ln cost; smaller deviations are how parts differ, not faults
  int most_parts = 100;
  int most_links = 12;  ///< single paths; more are no explanation, and none is named
};

/// What a sound row of a group costs.
struct GroupNoise {
  double base = 0;      ///< ln cost
  double sigma = 0;     ///< of an observation's value
  double freedom = 60;  ///< of the Student t that stands for a sigma estimated from few rows
};

struct Culprit {
  std::int32_t candidate = -1;
  double effect = 0;    ///< ln cost factor of what crosses it
  double evidence = 0;  ///< gain in log likelihood over the same explanation without it
};

struct SearchResult {
  std::vector<Culprit> culprits;  ///< strongest evidence first
  std::vector<GroupNoise> noise;  ///< by group
  std::vector<double> residuals;  ///< by observation: ln cost above the base
  std::vector<double> shifts;     ///< by observation: what the culprits explain of it
  std::vector<double> scales;     ///< by observation: how much of an extra time it feels, relatively
  std::vector<double>
      part_spread;              ///< by PartKind: how sound parts differ from each other (ln cost, sigma); NaN unknown
  bool too_many_links = false;  ///< see SearchOptions::most_links
  double score = 0;             ///< penalised log likelihood, for comparing explanations
};

/// The smallest set of parts that explains the deviations of a matrix.
///
/// Model: value = base(group) + compose(effects of the culprits that the row crosses) + noise, with effects > 0.
/// Composition is the largest effect (rates) or the sum of the extra times (latencies; an effect is relative to the
/// shortest base, and weighs less on longer ways). Noise of a row is Student t
/// around 0; on the slow side it is floored by the chance that its epochs were disturbed: a row that is slow by
/// accident costs a bounded amount, a row that is faster than the explanation allows costs much more, since nothing
/// gets faster through a slow part. Search: greedy by gain in log likelihood; a part must gain more than ln(parts of
/// its kind * kinds / false_alarms), which bounds the probability of any false part (Bonferroni over all candidates; a
/// likelihood ratio of one parameter exceeds g by chance with probability below exp(-g)). It must also add at least
/// least_effect to what others explain and, against the spread of the sound parts of its kind, the same bound. After
/// each pass all effects are fitted again without one another, parts that lost their gain are dropped, and base and
/// sigma are estimated from what is left; until nothing changes. Two starts, with the fastest and with the densest
/// values of each group as base; the better penalised likelihood wins. Cost: O(k) for k touches per pass, plus
/// O(touches of the culprits' neighbours) per culprit.
[[nodiscard]] SearchResult search(const Observations& observations, const Candidates& candidates,
                                  Composition composition, const SearchOptions& options = {});

/// Candidates that cross exactly the rows that `candidate` does: no measurement tells them apart. Without itself.
[[nodiscard]] std::vector<std::int32_t> same_rows(const Candidates& candidates, std::int32_t candidate);

}  // namespace assay::locate
