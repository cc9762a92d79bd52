#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace assay::stream {

/// Loops over arrays in memory, compiled for several vector widths and chosen at run time. Plain loads and stores: a
/// written line is read first by most processors, which STREAM's way of counting leaves out.

void write(std::span<double> a, double value);
void copy(std::span<double> a, const double* b);
void scale(std::span<double> a, const double* b, double factor);
void add(std::span<double> a, const double* b, const double* c);
void triad(std::span<double> a, const double* b, const double* c, double factor);  ///< a = b + factor * c
[[nodiscard]] double sum(std::span<const double> b);  ///< in another order than left to right

/// The test data: whole numbers in 1..65536 that depend on place and seed, so that all results above are exact.
[[nodiscard]] constexpr double value_at(std::size_t index, std::uint32_t seed) {
  const std::uint32_t word = (static_cast<std::uint32_t>(index) + seed) * 2654435761U;
  return static_cast<double>(static_cast<std::int32_t>((word ^ (word >> 15)) >> 16) + 1);
}

void fill(std::span<double> array, std::uint32_t seed);

/// A value that the arrays should hold: base + b * value_at(i, seed_b) + c * value_at(i, seed_c).
struct Expectation {
  double base = 0;
  double b = 0;
  double c = 0;
  std::uint32_t seed_b = 0;
  std::uint32_t seed_c = 0;

  [[nodiscard]] constexpr double at(std::size_t index) const {
    return base + b * value_at(index, seed_b) + c * value_at(index, seed_c);
  }
};

/// How many elements are not what is expected (NaN is not).
[[nodiscard]] std::uint64_t count_wrong(std::span<const double> array, const Expectation& expected);

}  // namespace assay::stream
