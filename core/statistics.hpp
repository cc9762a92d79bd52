#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace assay {

/// A two-sided interval. `confidence` is the coverage really reached (order statistics cannot hit any level exactly).
struct Interval {
  double low = 0;
  double high = 0;
  double confidence = 0;
};

/// All functions: NaN for an empty span; any NaN among the samples makes the result NaN.

/// Middle value; mean of the two middle ones for an even count.
[[nodiscard]] double median(std::span<const double> samples);

/// Linear interpolation between order statistics, Hyndman & Fan 1996 type 7. `p` in [0, 1].
[[nodiscard]] double quantile(std::span<const double> samples, double p);

/// Median absolute deviation from the median, unscaled (multiply by 1.4826 for a normal sigma).
[[nodiscard]] double median_absolute_deviation(std::span<const double> samples);

/// Distribution-free interval of the median from order statistics: the narrowest symmetric pair of ranks whose
/// binomial(n, 1/2) coverage is >= `confidence`. With too few samples for that (n < 6 at 95 %): [min, max] and the
/// coverage it has, 1 - 2^(1-n).
[[nodiscard]] Interval median_interval(std::span<const double> samples, double confidence = 0.95);

/// Percentile bootstrap (Efron & Tibshirani 1993) of `statistic`, which must not depend on the order of its samples.
/// Deterministic by seed on every platform. When the samples have no more than `resamples` different resamples (n <= 7
/// for 2000), all of them are gone through and the distribution is exact. `confidence` of the result is the nominal
/// one.
[[nodiscard]] Interval bootstrap_interval(std::span<const double> samples,
                                          const std::function<double(std::span<const double>)>& statistic,
                                          std::uint64_t seed, std::size_t resamples = 2000, double confidence = 0.95);

/// Lag-1 autocorrelation coefficient in [-1, 1]; 0 for fewer than 3 samples or no variance.
[[nodiscard]] double autocorrelation(std::span<const double> samples);

/// Share of iterations per logarithmic bin; counts are exact. Bin b holds seconds in [2^(b/8) ns, 2^((b+1)/8) ns),
/// the first and last bins also hold what lies outside.
struct LogHistogram {
  static constexpr std::size_t bins = 512;
  [[nodiscard]] static std::size_t bin_of(double seconds);
  [[nodiscard]] static double lower_edge(std::size_t bin);  ///< seconds
};

}  // namespace assay
