#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace emulator::nccl {

/// A floating-point format of E exponent and M mantissa bits, stored in Bits. With `infinite`, IEEE's way: the highest
/// exponent holds infinities and NaNs. Without, as E4M3: no infinity, the highest value of all is NaN, and what is too
/// large becomes the largest finite number. E5M2 has infinities, but conversions saturate as well.
template <typename Bits, int E, int M, bool infinite, bool saturates>
struct SmallFloat {
  using bits = Bits;
  static constexpr int bias = (1 << (E - 1)) - 1;
  static constexpr int least_exponent = 1 - bias;
  static constexpr unsigned sign_bit = 1U << (E + M);
  static constexpr unsigned nan = infinite ? (((1U << E) - 1) << M) | (1U << (M - 1)) : (1U << (E + M)) - 1;
  static constexpr unsigned infinity = ((1U << E) - 1) << M;
  static constexpr unsigned largest = infinite ? infinity - 1 : nan - 1;

  static float decode(Bits value) {
    const unsigned magnitude = value & (sign_bit - 1);
    const float sign = (value & sign_bit) != 0 ? -1.0F : 1.0F;
    if (infinite ? magnitude > infinity : magnitude == nan) return std::numeric_limits<float>::quiet_NaN();
    if (infinite && magnitude == infinity) return sign * std::numeric_limits<float>::infinity();
    const int exponent = static_cast<int>(magnitude >> M);
    const auto mantissa = static_cast<float>(magnitude & ((1U << M) - 1));
    if (exponent == 0) return sign * std::ldexp(mantissa, least_exponent - M);
    return sign * std::ldexp(mantissa + static_cast<float>(1U << M), exponent - bias - M);
  }

  /// Rounds to nearest, ties to even.
  static Bits encode(float value) {
    const auto raw = std::bit_cast<std::uint32_t>(value);
    const unsigned sign = (raw >> 31) != 0 ? sign_bit : 0;
    if (std::isnan(value)) return static_cast<Bits>(sign | nan);
    if (std::isinf(value)) return static_cast<Bits>(sign | (saturates ? largest : infinity));
    // A float below the normal range has no hidden bit, but is then far below all these formats but bfloat16, whose
    // exponents start where a float's do.
    const int exponent = std::max(static_cast<int>((raw >> 23) & 0xff) - 127, least_exponent);
    const double scale = std::bit_cast<double>(static_cast<std::uint64_t>(1023 + M - exponent) << 52);
    constexpr double to_integer = 0x1.8p52;  // adding it leaves no bits below one: rounded as the processor rounds
    const double rounded = (std::fabs(static_cast<double>(value)) * scale + to_integer) - to_integer;
    const auto magnitude =
        (static_cast<std::uint64_t>(exponent - least_exponent) << M) + static_cast<std::uint64_t>(rounded);
    if (magnitude > largest) return static_cast<Bits>(sign | (saturates ? largest : infinity));
    return static_cast<Bits>(sign | static_cast<unsigned>(magnitude));
  }

  /// All values, decoded once.
  static const std::vector<float>& table() {
    static const std::vector<float> values = [] {
      std::vector<float> all(std::size_t{1} << (8 * sizeof(Bits)));
      for (std::size_t i = 0; i < all.size(); ++i) all[i] = decode(static_cast<Bits>(i));
      return all;
    }();
    return values;
  }
};

using Half = SmallFloat<std::uint16_t, 5, 10, true, false>;
using Bfloat16 = SmallFloat<std::uint16_t, 8, 7, true, false>;
using E4m3 = SmallFloat<std::uint8_t, 4, 3, false, true>;
using E5m2 = SmallFloat<std::uint8_t, 5, 2, true, true>;

}  // namespace emulator::nccl
