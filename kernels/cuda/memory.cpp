#include "kernels/cuda/memory.hpp"

#include <fmt/format.h>

#include "core/units.hpp"
#include "kernels/cuda/check.hpp"
#include "kernels/cuda/numa.hpp"

namespace assay::cuda {

namespace {

std::string in_words(std::size_t bytes) { return format_quantity(static_cast<double>(bytes), Dimension::bytes); }

std::string asked_for(std::size_t bytes) {
  std::size_t free = 0;
  std::size_t total = 0;
  if (cudaMemGetInfo(&free, &total) != cudaSuccess) return fmt::format("cudaMalloc of {}", in_words(bytes));
  return fmt::format("cudaMalloc of {} ({} free of {})", in_words(bytes), in_words(free), in_words(total));
}

}  // namespace

void Memory::Free::operator()(void* data) const noexcept {
  if (!gave_up_on_device()) ignore(cudaFree(data));
}

Memory::Memory(std::size_t bytes) : size_(bytes) {
  void* data = nullptr;
  const cudaError_t code = cudaMalloc(&data, bytes);
  if (code != cudaSuccess) check(code, asked_for(bytes));
  data_.reset(data);
}

void PinnedMemory::Free::operator()(std::byte* data) const noexcept {
  if (!gave_up_on_device()) ignore(cudaFreeHost(data));
}

PinnedMemory::PinnedMemory(std::size_t bytes, std::optional<int> numa_node) : size_(bytes) {
  const NumaPreference preference(numa_node);
  void* data = nullptr;
  const cudaError_t code = cudaHostAlloc(&data, bytes, cudaHostAllocPortable | cudaHostAllocMapped);
  if (code != cudaSuccess) check(code, fmt::format("cudaHostAlloc of {}", in_words(bytes)));
  data_.reset(static_cast<std::byte*>(data));
}

MemoryHandle share(const Memory& memory) {
  MemoryHandle handle{{}, memory.size()};
  check(cudaIpcGetMemHandle(&handle.handle, memory.data()), "cudaIpcGetMemHandle");
  return handle;
}

void PeerMemory::Close::operator()(void* data) const noexcept {
  if (!gave_up_on_device()) ignore(cudaIpcCloseMemHandle(data));
}

PeerMemory::PeerMemory(const MemoryHandle& handle) : size_(handle.size) {
  void* data = nullptr;
  check(cudaIpcOpenMemHandle(&data, handle.handle, cudaIpcMemLazyEnablePeerAccess), "cudaIpcOpenMemHandle");
  data_.reset(data);
}

}  // namespace assay::cuda
