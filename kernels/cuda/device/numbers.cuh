#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <cstring>

#include "kernels/cuda/device/mix.cuh"
#include "kernels/cuda/dtype.hpp"

// Numbers of every type as bits, without the vendor's headers for small types, which take long to compile. Encoding is
// exact: callers pass values that the type has.

namespace assay::cuda {

__host__ __device__ inline std::uint32_t bits_of(float value) {
  std::uint32_t bits = 0;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

__host__ __device__ inline float float_of(std::uint32_t bits) {
  float value = 0;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/// Bits of a small float with `exponent_bits` and `mantissa_bits` for a value that it has as a normal number, or zero.
__host__ __device__ inline std::uint32_t small_float(float value, int exponent_bits, int mantissa_bits) {
  const std::uint32_t bits = bits_of(value);
  const std::uint32_t sign = bits >> 31 << (exponent_bits + mantissa_bits);
  if ((bits << 1) == 0) return sign;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = static_cast<int>(bits >> 23 & 0xff) - 127 + bias;
  return sign | static_cast<std::uint32_t>(exponent) << mantissa_bits | (bits & 0x7fffff) >> (23 - mantissa_bits);
}

/// The value of such bits; infinities and NaN of f16 come out as huge numbers, which no check takes for right ones.
__host__ __device__ inline float small_float_value(std::uint32_t bits, int exponent_bits, int mantissa_bits) {
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const std::uint32_t sign = (bits >> (exponent_bits + mantissa_bits) & 1) << 31;
  const std::uint32_t mantissa = bits & ((1U << mantissa_bits) - 1);
  const int exponent = static_cast<int>(bits >> mantissa_bits & ((1U << exponent_bits) - 1));
  if (exponent == 0) {  // subnormal: mantissa * 2^(1 - bias - mantissa_bits)
    const float unit = float_of(static_cast<std::uint32_t>(127 + 1 - bias - mantissa_bits) << 23);
    return float_of(bits_of(static_cast<float>(mantissa) * unit) | sign);
  }
  return float_of(sign | static_cast<std::uint32_t>(exponent - bias + 127) << 23 | mantissa << (23 - mantissa_bits));
}

__host__ __device__ inline double load_number(Dtype type, const void* array, std::uint64_t index) {
  switch (type) {
    case Dtype::f64:
      return static_cast<const double*>(array)[index];
    case Dtype::f32:
    case Dtype::tf32:
      return static_cast<double>(static_cast<const float*>(array)[index]);
    case Dtype::bf16:
      return static_cast<double>(
          float_of(static_cast<std::uint32_t>(static_cast<const std::uint16_t*>(array)[index]) << 16));
    case Dtype::f16:
      return static_cast<double>(small_float_value(static_cast<const std::uint16_t*>(array)[index], 5, 10));
    case Dtype::f8:
      return static_cast<double>(small_float_value(static_cast<const std::uint8_t*>(array)[index], 4, 3));
    case Dtype::i8:
      return static_cast<double>(static_cast<const std::int8_t*>(array)[index]);
    case Dtype::i32:
      return static_cast<double>(static_cast<const std::int32_t*>(array)[index]);
  }
  return 0;
}

/// `value` has to be one that the type has.
__host__ __device__ inline void store_number(Dtype type, void* array, std::uint64_t index, double value) {
  switch (type) {
    case Dtype::f64:
      static_cast<double*>(array)[index] = value;
      break;
    case Dtype::f32:
    case Dtype::tf32:
      static_cast<float*>(array)[index] = static_cast<float>(value);
      break;
    case Dtype::bf16:
      static_cast<std::uint16_t*>(array)[index] = static_cast<std::uint16_t>(bits_of(static_cast<float>(value)) >> 16);
      break;
    case Dtype::f16:
      static_cast<std::uint16_t*>(array)[index] =
          static_cast<std::uint16_t>(small_float(static_cast<float>(value), 5, 10));
      break;
    case Dtype::f8:
      static_cast<std::uint8_t*>(array)[index] =
          static_cast<std::uint8_t>(small_float(static_cast<float>(value), 4, 3));
      break;
    case Dtype::i8:
      static_cast<std::int8_t*>(array)[index] = static_cast<std::int8_t>(value);
      break;
    case Dtype::i32:
      static_cast<std::int32_t*>(array)[index] = static_cast<std::int32_t>(value);
      break;
  }
}

/// A random number that the type has, from 64 random bits. Floats are uniform in [-1, 1) with all their significant
/// bits in use, e4m3 has random sign and mantissa and exponents from -4 to -1 (0.0625 .. 0.9375), int8 all values but
/// the lowest.
__host__ __device__ inline double random_number(Dtype type, std::uint64_t word) {
  const auto top = static_cast<std::int64_t>(word);
  switch (type) {
    case Dtype::f64:
      return 0x1p-52 * static_cast<double>(top >> 11);
    case Dtype::f32:
      return 0x1p-23 * static_cast<double>(top >> 40);
    case Dtype::tf32:
    case Dtype::f16:
      return 0x1p-10 * static_cast<double>(top >> 53);
    case Dtype::bf16:
      return 0x1p-7 * static_cast<double>(top >> 56);
    case Dtype::f8: {
      const double magnitude =
          static_cast<double>(8 + (word >> 61)) * 0.0078125 * static_cast<double>(1U << (word & 3));
      return (word >> 8 & 1) != 0 ? -magnitude : magnitude;
    }
    case Dtype::i8:
    case Dtype::i32:
      return top >> 56 == -128 ? 0.0 : static_cast<double>(top >> 56);
  }
  return 0;
}

/// Raw bits of an element, for messages.
__host__ __device__ inline std::uint64_t load_bits(std::uint32_t size, const void* array, std::uint64_t index) {
  std::uint64_t bits = 0;
  memcpy(&bits, static_cast<const unsigned char*>(array) + index * size, size);
  return bits;
}

}  // namespace assay::cuda
