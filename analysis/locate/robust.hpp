#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace assay::locate {

/// Robust location and scale of what a machine shows when a few of its parts are slow. Values are logarithms of times:
/// what is wrong lies above. All take their values by copy or reorder their own; NaN when there are none.

/// Length of the shortest interval that holds half of the values, as a normal sigma (divided by 1.349); works as long
/// as more than half are sound, wherever the others lie (the shorth: Rousseeuw & Leroy 1988). Small samples are
/// corrected for: with few values the shortest half is too short.
[[nodiscard]] double shorth_scale(std::vector<double> values);

/// Centre of the shortest interval that holds `share` of the values.
[[nodiscard]] double densest_centre(std::vector<double> values, double share);

/// Centre of the fastest group: the leftmost window of this width that holds at least 0.15 times as many values as the
/// fullest one. The baseline of what is sound even when most values are slow, provided that sound ones lie together.
[[nodiscard]] double fastest_group(std::vector<double> values, double width);

/// Sigma of a normal from the distances of the values below `centre` alone: sound values are as likely to lie there as
/// above, slow ones never do.
[[nodiscard]] double lower_scale(std::span<const double> values, double centre);

/// z with P(Z > z) = p of the standard normal (Abramowitz & Stegun 26.2.23, refined by Newton steps).
[[nodiscard]] double normal_quantile_above(double p);

/// ln P(Binomial(n, p) >= k).
[[nodiscard]] double log_binomial_tail(int n, int k, double p);

}  // namespace assay::locate
