// Launches of kernels: as nvcc of CUDA 12 and of CUDA 13 generates them, and by function.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "tests/emulator/cuda/errors.hpp"
#include "tests/emulator/cuda/launch.hpp"
#include "tests/emulator/cuda/process.hpp"
#include "tests/emulator/cuda/properties.hpp"
#include "tests/emulator/cuda/streams.hpp"

using namespace emulator;

namespace {

struct Configuration {
  Shape shape;
  cudaStream_t stream = nullptr;
};

thread_local std::vector<Configuration> pushed;

cudaError_t launch_function(const void* function, const Shape& shape, void** arguments, cudaStream_t stream) {
  return api(Needs::device, host_cost::launch,
             [&] { launch(stream_of(stream), kernel_at(function), shape, arguments); });
}

/// Blocks of this shape that fit on one multiprocessor.
int resident_blocks(const Gpu& gpu, int threads, std::size_t shared_memory) {
  require(threads >= 1 && threads <= static_cast<int>(limits::threads_per_block));
  const int by_threads = threads_per_multiprocessor(gpu) / ((threads + 31) / 32 * 32);
  const std::size_t each = shared_memory + 1024;
  const int by_memory = static_cast<int>(static_cast<std::size_t>(shared_memory_per_multiprocessor(gpu)) / each);
  return std::min({by_threads, by_memory, attribute_of(gpu, cudaDevAttrMaxBlocksPerMultiprocessor)});
}

cudaError_t launch_cooperative(const void* function, const Shape& shape, void** arguments, cudaStream_t stream) {
  return api(Needs::device, host_cost::launch, [&] {
    Stream& target = stream_of(stream);
    const auto threads = static_cast<int>(shape.block.x * shape.block.y * shape.block.z);
    const auto blocks = std::uint64_t{shape.grid.x} * shape.grid.y * shape.grid.z;
    const auto fit = static_cast<std::uint64_t>(resident_blocks(*target.device.gpu, threads, shape.shared_memory)) *
                     static_cast<std::uint64_t>(target.device.gpu->sm_count);
    require(blocks <= fit, cudaErrorCooperativeLaunchTooLarge);
    launch(target, kernel_at(function), shape, arguments);
  });
}

}  // namespace

extern "C" {

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared_memory, CUstream_st* stream) {
  pushed.push_back({{grid, block, shared_memory}, stream});
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared_memory, void* stream) {
  if (pushed.empty()) return remember(cudaErrorMissingConfiguration);
  const Configuration top = pushed.back();
  pushed.pop_back();
  *grid = top.shape.grid;
  *block = top.shape.block;
  *shared_memory = top.shape.shared_memory;
  *static_cast<cudaStream_t*>(stream) = top.stream;
  return cudaSuccess;
}

// Called once for each kernel, the first time that it is launched; errors show at the launch.
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* function) {
  *kernel = static_cast<cudaKernel_t>(const_cast<void*>(function));
  return cudaSuccess;
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, std::size_t shared_memory,
                               cudaStream_t stream) {
  return launch_function(kernel, {grid, block, shared_memory}, arguments, stream);
}

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments, std::size_t shared_memory,
                             cudaStream_t stream) {
  return launch_function(function, {grid, block, shared_memory}, arguments, stream);
}

cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                                        std::size_t shared_memory, cudaStream_t stream) {
  return launch_cooperative(function, {grid, block, shared_memory}, arguments, stream);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* configuration, const void* function, void** arguments) {
  if (configuration == nullptr) return remember(cudaErrorInvalidValue);
  const Shape shape{configuration->gridDim, configuration->blockDim, configuration->dynamicSmemBytes};
  bool cooperative = false;
  for (unsigned index = 0; index < configuration->numAttrs; ++index) {
    const cudaLaunchAttribute& attribute = configuration->attrs[index];
    if (attribute.id == cudaLaunchAttributeCooperative) cooperative = attribute.val.cooperative != 0;
    if (attribute.id == cudaLaunchAttributeClusterDimension) return remember(cudaErrorNotSupported);
  }
  const auto start = cooperative ? launch_cooperative : launch_function;
  return start(function, shape, arguments, configuration->stream);
}

cudaError_t cudaGetKernel(cudaKernel_t* kernel, const void* function) {
  return api(Needs::device, host_cost::trivial, [&] {
    require(kernel != nullptr);
    kernel_at(function);
    *kernel = static_cast<cudaKernel_t>(const_cast<void*>(function));
  });
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  return api(Needs::device, host_cost::query, [&] {
    require(attributes != nullptr);
    const Kernel& kernel = kernel_at(function);
    const Gpu& gpu = *process().current().gpu;
    *attributes = {};
    attributes->maxThreadsPerBlock = limits::threads_per_block;
    attributes->numRegs = 32;
    attributes->binaryVersion = attributes->ptxVersion = 10 * gpu.product->compute_major + gpu.product->compute_minor;
    attributes->maxDynamicSharedSizeBytes = kernel.shared_memory_limit;
  });
}

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
  return api(Needs::device, host_cost::query, [&] {
    Kernel& kernel = kernel_at(function);
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return;
    require(value >= 0 && value <= shared_memory_opt_in(*process().current().gpu));
    kernel.shared_memory_limit = value;
  });
}

cudaError_t cudaFuncSetCacheConfig(const void* function, cudaFuncCache) {
  return api(Needs::device, host_cost::query, [&] { kernel_at(function); });
}

cudaError_t cudaFuncGetName(const char** name, const void* function) {
  return api(Needs::device, host_cost::trivial, [&] {
    require(name != nullptr);
    *name = kernel_at(function).name.c_str();
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function, int threads,
                                                                   std::size_t shared_memory, unsigned) {
  return api(Needs::device, host_cost::query, [&] {
    require(blocks != nullptr);
    kernel_at(function);
    *blocks = resident_blocks(*process().current().gpu, threads, shared_memory);
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int threads,
                                                          std::size_t shared_memory) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, shared_memory, 0);
}
}
