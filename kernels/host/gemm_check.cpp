#include "kernels/host/gemm_check.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <vector>

#include "core/random.hpp"

namespace assay {
namespace {

/// Finaliser of MurmurHash3 (32 bit): plain enough for vector instructions.
constexpr std::uint32_t mixed(std::uint32_t word) {
  word = (word ^ (word >> 16)) * 0x85ebca6bU;
  word = (word ^ (word >> 13)) * 0xc2b2ae35U;
  return word ^ (word >> 16);
}

/// matrix * x column by column: independent sums, so that the compiler can use vectors.
template <class T>
std::vector<double> times(int n, const T* matrix, const std::vector<double>& x) {
  std::vector<double> result(x.size());
  for (int column = 0; column < n; ++column) {
    const T* values = matrix + static_cast<std::size_t>(column) * x.size();
    const double factor = x[static_cast<std::size_t>(column)];
    for (std::size_t row = 0; row < x.size(); ++row) result[row] += factor * static_cast<double>(values[row]);
  }
  return result;
}

std::vector<double> random_signs(int n, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> signs(static_cast<std::size_t>(n));
  for (double& sign : signs) sign = random.below(2) == 0 ? -1.0 : 1.0;
  return signs;
}

}  // namespace

template <class T>
void fill_uniform(std::span<T> values, std::uint64_t seed) {
  const auto low_seed = static_cast<std::uint32_t>(seed);
  const auto high_seed = static_cast<std::uint32_t>(seed >> 32);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto index = static_cast<std::uint32_t>(i);
    const auto high = static_cast<std::int32_t>(mixed(index + low_seed));
    const auto low = static_cast<std::int32_t>(mixed(index ^ high_seed));
    values[i] = static_cast<T>(0x1p-31 * high + 0x1p-63 * low);  // 32 bits, and 32 more below them
  }
}

template <class T>
double freivalds_bound(int n) {
  const double rounding = static_cast<double>(std::numeric_limits<T>::epsilon()) / 2;
  return 4.0 * rounding * std::pow(static_cast<double>(n), 1.5);
}

template <class T>
Check freivalds(int n, const T* a, const T* b, const T* c, std::uint64_t seed) {
  const std::vector<double> x = random_signs(n, seed);
  const std::vector<double> expected = times(n, a, times(n, b, x));
  const std::vector<double> found = times(n, c, x);
  const double bound = freivalds_bound<T>(n);
  Check check;
  check.checked = static_cast<std::uint64_t>(n) * static_cast<std::uint64_t>(n);
  for (std::size_t row = 0; row < x.size(); ++row) {
    if (std::abs(found[row] - expected[row]) <= bound) continue;
    if (check.wrong++ == 0) {
      check.first = fmt::format("row {}: C x = {}, A (B x) = {}, bound {:.3g}", row, found[row], expected[row], bound);
    }
  }
  return check;
}

template void fill_uniform(std::span<double>, std::uint64_t);
template void fill_uniform(std::span<float>, std::uint64_t);
template double freivalds_bound<double>(int);
template double freivalds_bound<float>(int);
template Check freivalds(int, const double*, const double*, const double*, std::uint64_t);
template Check freivalds(int, const float*, const float*, const float*, std::uint64_t);

}  // namespace assay
