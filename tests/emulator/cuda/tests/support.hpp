#pragma once

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "tests/emulator/cuda/tests/child.hpp"

namespace emulated {

inline void expect_ok(cudaError_t code) { EXPECT_EQ(code, cudaSuccess) << cudaGetErrorString(code); }

/// Device memory of the current device.
template <typename T>
T* device_array(std::size_t count) {
  void* memory = nullptr;
  expect_ok(cudaMalloc(&memory, count * sizeof(T)));
  return static_cast<T*>(memory);
}

template <typename T>
T* pinned_array(std::size_t count) {
  void* memory = nullptr;
  expect_ok(cudaHostAlloc(&memory, count * sizeof(T), cudaHostAllocMapped));
  return static_cast<T*>(memory);
}

template <typename T>
T* to_device(const std::vector<T>& values) {
  T* memory = device_array<T>(values.size());
  expect_ok(cudaMemcpy(memory, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  return memory;
}

template <typename T>
std::vector<T> to_host(const T* memory, std::size_t count) {
  std::vector<T> values(count);
  expect_ok(cudaMemcpy(values.data(), memory, count * sizeof(T), cudaMemcpyDeviceToHost));
  return values;
}

inline cudaStream_t new_stream() {
  cudaStream_t stream = nullptr;
  expect_ok(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  return stream;
}

inline cudaEvent_t new_event() {
  cudaEvent_t event = nullptr;
  expect_ok(cudaEventCreate(&event));
  return event;
}

/// Virtual seconds that `work` takes in a stream of its own.
template <typename Work>
double seconds_of(cudaStream_t stream, const Work& work) {
  const cudaEvent_t start = new_event(), end = new_event();
  expect_ok(cudaEventRecord(start, stream));
  work();
  expect_ok(cudaEventRecord(end, stream));
  expect_ok(cudaEventSynchronize(end));
  float milliseconds = 0;
  expect_ok(cudaEventElapsedTime(&milliseconds, start, end));
  return 1e-3 * static_cast<double>(milliseconds);
}

}  // namespace emulated
