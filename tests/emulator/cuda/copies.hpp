#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <optional>

#include "tests/emulator/cuda/memory.hpp"
#include "tests/emulator/cuda/process.hpp"
#include "tests/emulator/cuda/stream.hpp"

namespace emulator {

/// One end of a copy, or what a kernel reaches.
struct Endpoint {
  Place place = Place::pageable;
  const Gpu* gpu = nullptr;  ///< Of device memory.
  int device = -1;
  bool imported = false;
  std::byte* at = nullptr;  ///< Where the CPU finds it.
  Block block;

  [[nodiscard]] bool on_device() const { return place == Place::device; }
};

/// What lies at an address. Throws ApiError(cudaErrorInvalidValue) when the bytes go beyond the end of its block.
Endpoint endpoint_at(const void* address, std::size_t bytes);

/// Code that runs on the device may touch the block without an error.
bool reachable(const Device& device, const Block& block);

/// A copy in the stream. Returns when the API function that it stands for returns: `asynchronous` tells which.
void copy(Stream& stream, void* destination, const void* source, std::size_t bytes, cudaMemcpyKind kind,
          bool asynchronous);
/// A fill in the stream.
void fill(Stream& stream, void* destination, int value, std::size_t bytes);

}  // namespace emulator
