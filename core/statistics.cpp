#include "core/statistics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <utility>
#include <vector>

namespace assay {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr Interval no_interval{nan, nan, nan};

bool has_nan(std::span<const double> samples) {
  return std::any_of(samples.begin(), samples.end(), [](double x) { return std::isnan(x); });
}

/// Samples by rank. Few samples stay off the heap, since a bootstrap asks for thousands of small medians.
class Ordered {
 public:
  explicit Ordered(std::span<const double> samples) {
    if (samples.size() > few_.size()) many_.resize(samples.size());
    values_ = many_.empty() ? std::span(few_).first(samples.size()) : std::span(many_);
    std::copy(samples.begin(), samples.end(), values_.begin());
    if (many_.empty()) std::sort(values_.begin(), values_.end());
  }
  Ordered(const Ordered&) = delete;
  Ordered& operator=(const Ordered&) = delete;
  ~Ordered() = default;

  /// The sample with `rank` others below it.
  double at(std::size_t rank) {
    if (!many_.empty()) {
      std::nth_element(values_.begin(), values_.begin() + static_cast<std::ptrdiff_t>(rank), values_.end());
    }
    return values_[rank];
  }

  /// The next one above at(rank), asked for directly after it.
  double after(std::size_t rank) const {
    return *std::min_element(values_.begin() + static_cast<std::ptrdiff_t>(rank) + 1, values_.end());
  }

 private:
  std::array<double, 32> few_{};
  std::vector<double> many_;
  std::span<double> values_;
};

/// P(X <= k) for X ~ binomial(n, 1/2): its largest term by logarithms, the others by ratio, downwards until they
/// vanish.
double lower_tail(std::size_t k, std::size_t n) {
  const double count = static_cast<double>(n);
  double i = static_cast<double>(k);
  double term =
      std::exp(std::lgamma(count + 1) - std::lgamma(i + 1) - std::lgamma(count - i + 1) - count * std::log(2.0));
  double sum = 0;
  while (term > 1e-17 * sum) {
    sum += term;
    if (i == 0) break;
    term *= i / (count - i + 1);
    --i;
  }
  return sum;
}

/// The largest k such that [x_k, x_(n+1-k)] (ranks from 1) covers the median with at least `confidence`; 1 when none
/// does.
std::size_t interval_rank(std::size_t n, double confidence) {
  std::size_t good = 1;
  std::size_t bad = n / 2 + 1;
  while (bad - good > 1) {
    const std::size_t middle = good + (bad - good) / 2;
    (1 - 2 * lower_tail(middle - 1, n) >= confidence ? good : bad) = middle;
  }
  return good;
}

using Statistic = std::function<double(std::span<const double>)>;

/// Number of different resamples of n values, binomial(2n-1, n), or more than `limit`.
double different_resamples(std::size_t n, double limit) {
  double count = 1;
  for (std::size_t i = 1; i <= n && count <= limit; ++i) {
    count *= static_cast<double>(n - 1 + i) / static_cast<double>(i);
  }
  return count;
}

/// Moves to the next non-decreasing sequence of indices below its length; false after the last one.
bool next_resample(std::vector<std::size_t>& indices) {
  const std::size_t last = indices.size() - 1;
  auto place = std::find_if(indices.rbegin(), indices.rend(), [last](std::size_t i) { return i < last; });
  if (place == indices.rend()) return false;
  std::fill(place.base() - 1, indices.end(), *place + 1);
  return true;
}

/// Probability of a resample: n! / (product of the multiplicities' factorials) / n^n.
double resample_weight(const std::vector<std::size_t>& indices) {
  double weight = 1;
  double run = 0;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    run = i > 0 && indices[i] == indices[i - 1] ? run + 1 : 1;
    weight *= static_cast<double>(i + 1) / run / static_cast<double>(indices.size());
  }
  return weight;
}

/// The bootstrap distribution itself, by going through all resamples; affordable for a handful of samples.
Interval exact_bootstrap(std::span<const double> sorted, const Statistic& statistic, double confidence) {
  std::vector<std::size_t> indices(sorted.size(), 0);
  std::vector<double> resample(sorted.size());
  std::vector<std::pair<double, double>> outcomes;  // value, probability
  do {
    std::transform(indices.begin(), indices.end(), resample.begin(), [&](std::size_t i) { return sorted[i]; });
    outcomes.emplace_back(statistic(resample), resample_weight(indices));
    if (std::isnan(outcomes.back().first)) return no_interval;
  } while (next_resample(indices));
  std::sort(outcomes.begin(), outcomes.end());

  // Rounding in the sum of probabilities must not push a bound outwards by one outcome.
  const double tail = (1 - confidence) / 2 * (1 - 1e-12);
  const auto bound = [tail](auto outcome) {
    for (double below = outcome->second; below < tail; below += outcome->second) ++outcome;
    return outcome->first;
  };
  return {bound(outcomes.begin()), bound(outcomes.rbegin()), confidence};
}

Interval sampled_bootstrap(std::span<const double> sorted, const Statistic& statistic, std::uint64_t seed,
                           std::size_t resamples, double confidence) {
  std::mt19937_64 engine(seed);
  std::vector<std::uint32_t> times(sorted.size());
  std::vector<double> resample(sorted.size());
  std::vector<double> outcomes(resamples);
  for (double& outcome : outcomes) {
    std::fill(times.begin(), times.end(), 0);
    // High word of a product: uniform up to n / 2^32, on every platform. Two draws from each random word.
    for (std::size_t i = 0; i < sorted.size(); i += 2) {
      const std::uint64_t word = engine();
      ++times[((word >> 32) * sorted.size()) >> 32];
      if (i + 1 < sorted.size()) ++times[((word & 0xffffffff) * sorted.size()) >> 32];
    }
    // Handed over in ascending order: order statistics of it are then found without moving anything.
    auto next = resample.begin();
    for (std::size_t i = 0; i < sorted.size(); ++i) next = std::fill_n(next, times[i], sorted[i]);
    outcome = statistic(resample);
  }
  const double tail = (1 - confidence) / 2;
  return {quantile(outcomes, tail), quantile(outcomes, 1 - tail), confidence};
}

const std::array<double, LogHistogram::bins>& histogram_edges() {
  static const auto edges = [] {
    std::array<double, LogHistogram::bins> result{};
    for (std::size_t bin = 0; bin < result.size(); ++bin) {
      result[bin] = 1e-9 * std::exp2(static_cast<double>(bin) / 8);
    }
    return result;
  }();
  return edges;
}

}  // namespace

double median(std::span<const double> samples) { return quantile(samples, 0.5); }

double quantile(std::span<const double> samples, double p) {
  if (samples.empty() || has_nan(samples) || !(p >= 0 && p <= 1)) return nan;
  Ordered ordered(samples);
  const double position = p * static_cast<double>(samples.size() - 1);
  const auto rank = static_cast<std::size_t>(position);
  const double fraction = position - static_cast<double>(rank);
  const double below = ordered.at(rank);
  return fraction == 0 ? below : std::lerp(below, ordered.after(rank), fraction);
}

double median_absolute_deviation(std::span<const double> samples) {
  const double center = median(samples);
  if (std::isnan(center)) return nan;
  std::vector<double> deviations(samples.begin(), samples.end());
  for (double& x : deviations) x = std::abs(x - center);
  return median(deviations);
}

Interval median_interval(std::span<const double> samples, double confidence) {
  if (samples.empty() || has_nan(samples)) return no_interval;
  const std::size_t n = samples.size();
  const std::size_t k = interval_rank(n, confidence);
  Ordered ordered(samples);
  const double low = ordered.at(k - 1);
  return {low, ordered.at(n - k), 1 - 2 * lower_tail(k - 1, n)};
}

Interval bootstrap_interval(std::span<const double> samples, const Statistic& statistic, std::uint64_t seed,
                            std::size_t resamples, double confidence) {
  if (samples.empty() || resamples == 0 || has_nan(samples)) return no_interval;
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  const auto limit = static_cast<double>(resamples);
  return different_resamples(sorted.size(), limit) <= limit
             ? exact_bootstrap(sorted, statistic, confidence)
             : sampled_bootstrap(sorted, statistic, seed, resamples, confidence);
}

double autocorrelation(std::span<const double> samples) {
  if (samples.empty() || has_nan(samples)) return nan;
  const auto [low, high] = std::minmax_element(samples.begin(), samples.end());
  if (samples.size() < 3 || *low == *high) return 0;
  double mean = 0;
  for (const double x : samples) mean += x / static_cast<double>(samples.size());
  double variance = 0;
  double covariance = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    variance += (samples[i] - mean) * (samples[i] - mean);
    if (i > 0) covariance += (samples[i] - mean) * (samples[i - 1] - mean);
  }
  return covariance / variance;
}

std::size_t LogHistogram::bin_of(double seconds) {
  const auto& edges = histogram_edges();
  if (seconds < edges[1]) return 0;
  if (!(seconds < edges[bins - 1])) return bins - 1;  // NaN too: a sample that is not a time is never a fast one
  const auto guess = static_cast<std::size_t>(8 * std::log2(seconds * 1e9));
  // The logarithm may be off by a rounding; the edges decide.
  if (seconds < edges[guess]) return guess - 1;
  return guess + 1 < bins && seconds >= edges[guess + 1] ? guess + 1 : guess;
}

double LogHistogram::lower_edge(std::size_t bin) { return histogram_edges().at(bin); }

}  // namespace assay
