#include "analysis/locate/robust.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/statistics.hpp"

namespace assay::locate {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
/// With one of three nodes slow, two thirds of the pairs are; with two of four, five sixths.
constexpr double least_share_of_fullest = 0.15;
constexpr double normal_half_length = 1.3490;  ///< of the middle half of a standard normal

/// Start and end index (inclusive) of the shortest stretch of `count` sorted values.
std::pair<std::size_t, std::size_t> shortest(const std::vector<double>& sorted, std::size_t count) {
  std::size_t best = 0;
  for (std::size_t i = 0; i + count <= sorted.size(); ++i) {
    if (sorted[i + count - 1] - sorted[i] < sorted[best + count - 1] - sorted[best]) best = i;
  }
  return {best, best + count - 1};
}

}  // namespace

double shorth_scale(std::vector<double> values) {
  if (values.empty()) return not_a_number;
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2 + 1;
  const auto [first, last] = shortest(values, std::min(half, values.size()));
  const auto n = static_cast<double>(values.size());
  const double correction = 1 + 1 / std::sqrt(n);  // fits simulated normal samples of 6 to 200 values within 10 %
  return (values[last] - values[first]) / normal_half_length * correction;
}

double densest_centre(std::vector<double> values, double share) {
  if (values.empty()) return not_a_number;
  std::sort(values.begin(), values.end());
  const auto wanted = static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size())));
  const auto [first, last] = shortest(values, std::clamp<std::size_t>(wanted, 1, values.size()));
  return median(std::span(values).subspan(first, last - first + 1));
}

double fastest_group(std::vector<double> values, double width) {
  if (values.empty()) return not_a_number;
  std::sort(values.begin(), values.end());
  std::vector<std::size_t> held(values.size());
  std::size_t end = 0;
  std::size_t fullest = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    while (end < values.size() && values[end] <= values[i] + width) ++end;
    held[i] = end - i;
    fullest = std::max(fullest, held[i]);
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (static_cast<double>(held[i]) < least_share_of_fullest * static_cast<double>(fullest)) continue;
    // The window opened at the first value that comes near; its fullest shift within its own width is the group.
    std::size_t best = i;
    for (std::size_t j = i; j < values.size() && values[j] <= values[i] + width; ++j) {
      if (held[j] > held[best]) best = j;
    }
    return median(std::span(values).subspan(best, held[best]));
  }
  return median(values);
}

double lower_scale(std::span<const double> values, double centre) {
  std::vector<double> distances;
  for (const double value : values) {
    if (value <= centre) distances.push_back(centre - value);
  }
  if (distances.empty()) return not_a_number;
  return median(distances) * 1.4826;
}

double normal_quantile_above(double p) {
  // Only the upper tail is asked for: rational approximation in sqrt(-2 ln p), refined by one Newton step on erfc.
  if (!(p > 0)) return std::numeric_limits<double>::infinity();
  if (p > 0.5) return p >= 1 ? -std::numeric_limits<double>::infinity() : -normal_quantile_above(1 - p);
  const double q = std::sqrt(-2 * std::log(p));
  double z = q - (2.515517 + q * (0.802853 + q * 0.010328)) / (1 + q * (1.432788 + q * (0.189269 + q * 0.001308)));
  for (int i = 0; i < 3; ++i) {
    const double tail = 0.5 * std::erfc(z / std::sqrt(2.0));
    const double density = std::exp(-z * z / 2) / std::sqrt(2 * 3.14159265358979323846);
    z += (tail - p) / density;
  }
  return z;
}

double log_binomial_tail(int n, int k, double p) {
  if (k <= 0) return 0;
  if (k > n || !(p > 0)) return -std::numeric_limits<double>::infinity();
  double sum = 0;
  for (int i = k; i <= n; ++i) {
    const double log_term = std::lgamma(n + 1.0) - std::lgamma(i + 1.0) - std::lgamma(n - i + 1.0) + i * std::log(p) +
                            (n - i) * std::log1p(-p);
    sum += std::exp(log_term);
  }
  return std::log(std::min(1.0, sum));
}

}  // namespace assay::locate
