#pragma once

#include <vector_types.h>

/// What device code finds built in, for code that runs on the CPU: set by run_as() before each call of a kernel.
namespace emulator::device_code {

inline thread_local uint3 threadIdx{}, blockIdx{};
inline thread_local dim3 blockDim{}, gridDim{};
inline constexpr int warpSize = 32;

}  // namespace emulator::device_code
