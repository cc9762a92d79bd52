#pragma once

#include <library_types.h>

#include <cstddef>
#include <cstdint>

namespace emulator::lt {

/// Bytes of one element; 0 for types that are not emulated.
std::size_t bytes_of(std::uint32_t type);
double load(std::uint32_t type, const std::byte* array, std::size_t index);
/// Rounded to nearest even, as the hardware does when it stores a result.
void store(std::uint32_t type, std::byte* array, std::size_t index, double value);
/// As tensor cores take fp32 for TF32: 10 bits after the leading one.
double rounded_to_tf32(double value);

}  // namespace emulator::lt
