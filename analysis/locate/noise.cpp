#include "analysis/locate/noise.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "analysis/locate/robust.hpp"
#include "core/statistics.hpp"

namespace assay::locate {
namespace {

constexpr double least_sigma = 0.002;  ///< below this, clocks and chance coincidences would speak
constexpr std::size_t few_rows = 6;
constexpr double few_rows_sigma = 0.015;  ///< a handful of rows does not show how sound ones differ
constexpr double slow_range = 3;          ///< disturbed values spread over this much of ln cost: a factor of 20
constexpr double fast_floor = -40;        ///< ln density: still finite, and far beyond any threshold
constexpr double largest_freedom = 60;
constexpr double freedom_per_row = 0.8;  ///< a trimmed sigma is worth about that many rows of a classical one
constexpr double core_share = 0.3;
constexpr double core_length = 0.7706;  ///< of the middle 30 % of a standard normal

std::vector<std::vector<double>> by_group(const Observations& observations, const std::vector<double>* shifts) {
  std::vector<std::vector<double>> values(observations.groups.size());
  for (std::size_t i = 0; i < observations.all.size(); ++i) {
    const Observation& observation = observations.all[i];
    const double shift = shifts == nullptr ? 0 : (*shifts)[i];
    values[static_cast<std::size_t>(observation.group)].push_back(observation.value - shift);
  }
  return values;
}

/// Sigma by the densest 30 % of the values: holds while no more than 70 % are slow in different ways.
double core_scale(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto count = static_cast<std::size_t>(std::ceil(core_share * static_cast<double>(values.size()))) + 1;
  if (count > values.size()) return 0;
  double length = values.back() - values.front();
  for (std::size_t i = 0; i + count <= values.size(); ++i) length = std::min(length, values[i + count - 1] - values[i]);
  return length / core_length;
}

GroupNoise noise_around(double base, double sigma, double least, std::size_t rows) {
  GroupNoise noise;
  noise.base = base;
  noise.sigma = std::max({sigma, least, rows < few_rows ? few_rows_sigma : least_sigma});
  const double freedom = std::clamp(freedom_per_row * static_cast<double>(rows), 3.0, largest_freedom);
  // A sigma that the rows' own epochs give is known well, whatever the number of rows.
  noise.freedom = noise.sigma > sigma ? std::max(freedom, largest_freedom / 4) : freedom;
  return noise;
}

/// Standard deviation of what lies within three robust sigmas: most of the efficiency, none of the outliers.
double trimmed_scale(std::span<const double> values, double centre, double robust) {
  double sum = 0;
  double count = 0;
  for (const double value : values) {
    if (std::abs(value - centre) > 3 * robust) continue;
    sum += (value - centre) * (value - centre);
    ++count;
  }
  return count < 2 ? robust : std::sqrt(sum / (count - 1)) * 1.015;
}

}  // namespace

std::vector<GroupNoise> first_noise(const Observations& observations, Start start) {
  std::vector<GroupNoise> noise;
  for (const auto& values : by_group(observations, nullptr)) {
    if (start == Start::densest) {
      noise.push_back(
          noise_around(densest_centre(values, 0.5), shorth_scale(values), observations.value_sigma, values.size()));
      continue;
    }
    const double scale = std::max({observations.value_sigma, 0.7 * core_scale(values), least_sigma});
    const double base = fastest_group(values, 3 * scale);
    // Not more than the core allows by far: in a group with few sound rows the lower half may hold anything.
    const double below = std::min(lower_scale(values, base), 3 * scale);
    noise.push_back(noise_around(base, below, observations.value_sigma, values.size()));
  }
  return noise;
}

std::vector<GroupNoise> fitted_noise(const Observations& observations, const std::vector<double>& shifts) {
  std::vector<GroupNoise> noise;
  for (const auto& values : by_group(observations, &shifts)) {
    const double centre = median(values);
    const double robust = std::max({shorth_scale(values), observations.value_sigma, least_sigma});
    noise.push_back(
        noise_around(centre, trimmed_scale(values, centre, robust), observations.value_sigma, values.size()));
  }
  return noise;
}

Density::Density(const GroupNoise& noise, double log_chance)
    : sigma_(noise.sigma),
      freedom_(noise.freedom),
      slow_floor_(log_chance + std::log(noise.sigma * 2.5066 / slow_range)) {}

double Density::at(double deviation) const {
  const double z = deviation / sigma_;
  const double core = -(freedom_ + 1) / 2 * std::log1p(z * z / freedom_);
  return std::max(core, z > 0 ? slow_floor_ : fast_floor);
}

}  // namespace assay::locate
