#pragma once

#include <cstdint>
#include <span>

#include "core/case.hpp"

namespace assay {

/// Fills with values uniform in [-1, 1], equal on every platform.
template <class T>
void fill_uniform(std::span<T> values, std::uint64_t seed);

/// How far a row of C x may be from A (B x), |x_j| = 1, for order-n matrices with entries uniform in [-1, 1) and
/// rounding unit u = epsilon / 2: 4 u n^1.5. Each of the n additions of a dot product of n terms errs by at most u
/// times a partial sum of size sqrt(k) / 3, which adds up in quadrature to 0.14 u n for each element of C, and over the
/// n elements of a row to 0.14 u n^1.5; the two products of the check itself err as much. The bound is beyond 10 sigma
/// of the sum, and a single element wrong by more than it is found.
template <class T>
[[nodiscard]] double freivalds_bound(int n);

/// Freivalds' check (1977) of C = A B with a vector of random signs: C x against A (B x), in double. Column-major. The
/// result counts n * n elements as checked and the rows outside the bound (or not a number) as wrong. One wrong element
/// in a row is always found; several hide only when their errors cancel under random signs.
template <class T>
[[nodiscard]] Check freivalds(int n, const T* a, const T* b, const T* c, std::uint64_t seed);

}  // namespace assay
