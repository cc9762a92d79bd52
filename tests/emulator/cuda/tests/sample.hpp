#pragma once

#include <cuda_runtime_api.h>

// Kernels of the tests, launched as nvcc generates launches.
namespace sample {

cudaError_t launch_add(const float* a, const float* b, float* sum, int count, cudaStream_t stream = nullptr);
cudaError_t launch_count(unsigned* counter, unsigned* host_word, int blocks, int threads,
                         cudaStream_t stream = nullptr);
cudaError_t launch_spin(const unsigned* flag, cudaStream_t stream);
/// The emulator has no twin of it.
cudaError_t launch_unknown(cudaStream_t stream = nullptr);
/// The address that stands for the kernel in the host's code.
const void* count_kernel();

}  // namespace sample
