#include "tests/emulator/cuda/tests/sample.hpp"

#include "tests/emulator/cuda/shim/device.hpp"

extern "C" __global__ void sample_add(const float* a, const float* b, float* sum, int count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < static_cast<unsigned>(count)) sum[i] = a[i] + b[i];
}

extern "C" __global__ void sample_count(unsigned* counter, unsigned* host_word) {
  atomicAdd(counter, 1U);
  if (host_word != nullptr && blockIdx.x == 0 && threadIdx.x == 0) atomicAdd(host_word, 1U);
}

extern "C" __global__ void sample_spin(const unsigned* flag) {
  while (*static_cast<const volatile unsigned*>(flag) == 0) {
  }
}

extern "C" __global__ void sample_unknown() {}

#ifdef __CUDACC__
namespace sample {

cudaError_t launch_add(const float* a, const float* b, float* sum, int count, cudaStream_t stream) {
  sample_add<<<(count + 255) / 256, 256, 0, stream>>>(a, b, sum, count);
  return cudaGetLastError();
}

cudaError_t launch_count(unsigned* counter, unsigned* host_word, int blocks, int threads, cudaStream_t stream) {
  sample_count<<<blocks, threads, 0, stream>>>(counter, host_word);
  return cudaGetLastError();
}

cudaError_t launch_spin(const unsigned* flag, cudaStream_t stream) {
  sample_spin<<<1, 1, 0, stream>>>(flag);
  return cudaGetLastError();
}

cudaError_t launch_unknown(cudaStream_t stream) {
  sample_unknown<<<1, 1, 0, stream>>>();
  return cudaGetLastError();
}

const void* count_kernel() { return reinterpret_cast<const void*>(sample_count); }

}  // namespace sample
#endif
