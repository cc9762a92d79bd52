#include "tests/emulator/cuda/lt/numbers.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace emulator::lt {
namespace {

/// A small float: 1 sign, exponent and mantissa bits.
struct Format {
  int exponent_bits, mantissa_bits;
  [[nodiscard]] int bias() const { return (1 << (exponent_bits - 1)) - 1; }
};
constexpr Format half{5, 10}, e4m3{4, 3};

double decode(Format format, std::uint32_t bits) {
  const auto mantissa = static_cast<double>(bits & ((1U << format.mantissa_bits) - 1));
  const int exponent = static_cast<int>(bits >> format.mantissa_bits & ((1U << format.exponent_bits) - 1));
  const double sign = (bits >> (format.exponent_bits + format.mantissa_bits) & 1) != 0 ? -1 : 1;
  const bool top = exponent == (1 << format.exponent_bits) - 1;
  if (top && format.exponent_bits == half.exponent_bits) {
    return mantissa != 0 ? std::numeric_limits<double>::quiet_NaN() : sign * std::numeric_limits<double>::infinity();
  }
  if (top && mantissa == 7) return std::numeric_limits<double>::quiet_NaN();  // e4m3 has no infinity, one NaN
  const double unit = std::ldexp(1.0, std::max(exponent, 1) - format.bias() - format.mantissa_bits);
  return sign * (mantissa + (exponent > 0 ? 1 << format.mantissa_bits : 0)) * unit;
}

std::uint32_t encode(Format format, double value) {
  const std::uint32_t sign = (std::signbit(value) ? 1U : 0U) << (format.exponent_bits + format.mantissa_bits);
  const bool is_half = format.exponent_bits == half.exponent_bits;
  const std::uint32_t not_a_number = is_half ? 0x7e00 : 0x7f, too_large = is_half ? 0x7c00 : 0x7e;
  if (std::isnan(value)) return sign | not_a_number;
  const double magnitude = std::fabs(value);
  if (magnitude == 0) return sign;
  const int exponent = std::max(std::ilogb(magnitude), 1 - format.bias());
  const double steps = std::nearbyint(std::ldexp(magnitude, format.mantissa_bits - exponent));
  // Rounding up may lead into the next exponent: the sum of both fields then comes out right by itself.
  const auto base = static_cast<std::uint32_t>(exponent + format.bias() - 1) << format.mantissa_bits;
  const std::uint32_t bits = base + static_cast<std::uint32_t>(steps);
  return sign | std::min(bits, too_large);
}

std::uint16_t bfloat(double value) {
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  if (std::isnan(value)) return static_cast<std::uint16_t>(bits >> 16 | 0x40);
  return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

template <typename T>
T element(const std::byte* array, std::size_t index) {
  T value;
  std::memcpy(&value, array + index * sizeof value, sizeof value);
  return value;
}

template <typename T>
void put(std::byte* array, std::size_t index, T value) {
  std::memcpy(array + index * sizeof value, &value, sizeof value);
}

}  // namespace

std::size_t bytes_of(std::uint32_t type) {
  switch (type) {
    case CUDA_R_64F:
      return 8;
    case CUDA_R_32F:
    case CUDA_R_32I:
      return 4;
    case CUDA_R_16F:
    case CUDA_R_16BF:
      return 2;
    case CUDA_R_8F_E4M3:
    case CUDA_R_8I:
      return 1;
    default:
      return 0;
  }
}

double load(std::uint32_t type, const std::byte* array, std::size_t index) {
  switch (type) {
    case CUDA_R_64F:
      return element<double>(array, index);
    case CUDA_R_32F:
      return static_cast<double>(element<float>(array, index));
    case CUDA_R_32I:
      return element<std::int32_t>(array, index);
    case CUDA_R_16F:
      return decode(half, element<std::uint16_t>(array, index));
    case CUDA_R_16BF:
      return static_cast<double>(
          std::bit_cast<float>(static_cast<std::uint32_t>(element<std::uint16_t>(array, index)) << 16));
    case CUDA_R_8F_E4M3:
      return decode(e4m3, element<std::uint8_t>(array, index));
    case CUDA_R_8I:
      return element<std::int8_t>(array, index);
    default:
      return 0;
  }
}

void store(std::uint32_t type, std::byte* array, std::size_t index, double value) {
  switch (type) {
    case CUDA_R_64F:
      return put(array, index, value);
    case CUDA_R_32F:
      return put(array, index, static_cast<float>(value));
    case CUDA_R_32I:
      return put(array, index, static_cast<std::int32_t>(static_cast<std::int64_t>(value)));
    case CUDA_R_16F:
      return put(array, index, static_cast<std::uint16_t>(encode(half, value)));
    case CUDA_R_16BF:
      return put(array, index, bfloat(value));
    case CUDA_R_8F_E4M3:
      return put(array, index, static_cast<std::uint8_t>(encode(e4m3, value)));
    default:
      return;
  }
}

double rounded_to_tf32(double value) {
  constexpr std::uint32_t dropped = 0x1fff;
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  const std::uint32_t rounded = (bits + (dropped >> 1) + (bits >> 13 & 1)) & ~dropped;
  return static_cast<double>(std::bit_cast<float>(rounded));
}

}  // namespace emulator::lt
