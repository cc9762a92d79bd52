#pragma once

#include <cuda_runtime_api.h>

#include "tests/emulator/model/cluster.hpp"

namespace emulator {

/// Limits of launches that all products since compute capability 8.0 share.
namespace limits {
inline constexpr unsigned threads_per_block = 1024;
inline constexpr unsigned block[3] = {1024, 1024, 64};
inline constexpr unsigned grid[3] = {2147483647, 65535, 65535};
inline constexpr int shared_memory_default = 48 * 1024;
}  // namespace limits

/// Shared memory that a block may ask for at most after opting in, and that a multiprocessor has [bytes].
int shared_memory_opt_in(const Gpu& gpu);
int shared_memory_per_multiprocessor(const Gpu& gpu);
int threads_per_multiprocessor(const Gpu& gpu);

/// Throws ApiError(cudaErrorInvalidValue) for an attribute that is not known here.
int attribute_of(const Gpu& gpu, cudaDeviceAttr attribute);
cudaDeviceProp properties_of(const Gpu& gpu);

}  // namespace emulator
