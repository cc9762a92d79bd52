#pragma once

#include <vector>

#include "analysis/locate/observations.hpp"
#include "analysis/locate/search.hpp"

namespace assay::locate {

/// Where the base of a group is looked for before any culprit is known.
enum class Start { fastest, densest };

/// Base and sigma of each group, from all values.
[[nodiscard]] std::vector<GroupNoise> first_noise(const Observations& observations, Start start);

/// The same with what culprits explain (`shifts`, by observation) taken off.
[[nodiscard]] std::vector<GroupNoise> fitted_noise(const Observations& observations, const std::vector<double>& shifts);

/// ln density of a value this far (ln cost) above what is expected, relative to the peak.
class Density {
 public:
  Density(const GroupNoise& noise, double log_chance);
  [[nodiscard]] double at(double deviation) const;

 private:
  double sigma_;
  double freedom_;
  double slow_floor_;
};

}  // namespace assay::locate
