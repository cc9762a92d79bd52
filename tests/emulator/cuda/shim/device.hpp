#pragma once

#include <cuda_runtime.h>

// Included by kernels that use their thread's place: nvcc has all of this built in, the CPU's compiler finds it here.
// Such a kernel is run thread by thread (Threads::every); it can use no shared memory, barrier or warp operation.
#ifndef __CUDACC__

#include "tests/emulator/cuda/shim/builtins.hpp"

using emulator::device_code::blockDim;
using emulator::device_code::blockIdx;
using emulator::device_code::gridDim;
using emulator::device_code::threadIdx;

template <typename T>
T atomicAdd(T* address, T value) {
  return __atomic_fetch_add(address, value, __ATOMIC_SEQ_CST);
}

#endif
