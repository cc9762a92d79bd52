#pragma once

#include <optional>
#include <string>
#include <vector>

namespace assay {

/// The figure of two members working together; larger is better.
struct PairFigure {
  int a = 0;
  int b = 0;
  double value = 0;
};

/// A member that most of its pairs are slow with, whoever the other one is.
struct SlowMember {
  int member = 0;
  int slow = 0;      ///< pairs
  int pairs = 0;     ///< that were measured with it
  double share = 0;  ///< median of its pairs / typical pair
};

struct PairDiagnosis {
  double typical = 0;               ///< median of all pairs
  std::vector<SlowMember> members;  ///< the worst first
  std::vector<PairFigure> links;    ///< slow pairs that no slow member explains
};

/// Robust and greedy: of several figures of a pair the slowest counts; a pair is slow below `slow_share` of the median
/// of all pairs. The member with the largest share of slow pairs is named when that is 3 of 4 at least (and 2 pairs at
/// least); its pairs are taken out; again.
[[nodiscard]] PairDiagnosis diagnose_pairs(const std::vector<PairFigure>& figures, double slow_share = 0.85);

}  // namespace assay
