// Memory of the cards and of the host, and copies between them.
#include <cuda_runtime_api.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/emulator/cuda/copies.hpp"
#include "tests/emulator/cuda/errors.hpp"
#include "tests/emulator/cuda/graph.hpp"
#include "tests/emulator/cuda/process.hpp"
#include "tests/emulator/cuda/streams.hpp"

using namespace emulator;

namespace {

std::size_t in_pages(std::size_t bytes) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page * page;
}

void* allocate_pinned(std::size_t bytes, unsigned flags) {
  refuse_while_capturing();
  if (bytes == 0) return nullptr;
  void* memory = mmap(nullptr, in_pages(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  require(memory != MAP_FAILED, cudaErrorMemoryAllocation);
  auto* base = static_cast<std::byte*>(memory);
  process().memory().insert({.place = Place::pinned,
                             .device = Process::current_ordinal(),
                             .base = base,
                             .bytes = bytes,
                             .alias = base,
                             .flags = flags});
  return memory;
}

/// Nothing that was enqueued may still use what is given back.
void drain() {
  for (Device& device : process().devices()) process().scheduler().finish(device);
  process().deliveries().release_all();
}

cudaError_t copy_call(void* destination, const void* source, std::size_t bytes, cudaMemcpyKind kind,
                      cudaStream_t stream, bool asynchronous) {
  return api(Needs::device, host_cost::copy,
             [&] { copy(stream_of(stream), destination, source, bytes, kind, asynchronous); });
}

}  // namespace

extern "C" {

cudaError_t cudaMalloc(void** pointer, std::size_t bytes) {
  return api(Needs::device, host_cost::allocate, [&] {
    require(pointer != nullptr);
    refuse_while_capturing();
    *pointer = nullptr;
    if (bytes > 0) *pointer = process().allocate(process().current(), bytes);
  });
}

cudaError_t cudaFree(void* pointer) {
  return api(Needs::device, host_cost::allocate, [&] {
    if (pointer == nullptr) return;
    refuse_while_capturing();
    const auto block = process().memory().find(pointer);
    require(block && block->base == pointer && block->place == Place::device && !block->imported);
    drain();
    process().free_device_memory(process().memory().remove(pointer, Place::device));
  });
}

cudaError_t cudaMallocAsync(void** pointer, std::size_t bytes, cudaStream_t stream) {
  return api(Needs::device, host_cost::launch, [&] {
    require(pointer != nullptr);
    Stream& target = stream_of(stream);
    refuse_in_capture(target);
    *pointer = nullptr;
    if (bytes > 0) *pointer = process().allocate(target.device, bytes);
  });
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  return api(Needs::device, host_cost::launch, [&] {
    if (pointer == nullptr) return;
    Stream& target = stream_of(stream);
    refuse_in_capture(target);
    const auto block = process().memory().find(pointer);
    require(block && block->base == pointer && block->place == Place::device && !block->imported);
    const Op op{.name = "cudaFreeAsync",
                .run =
                    [pointer](Execution& execution) {
                      process().free_device_memory(process().memory().remove(pointer, Place::device));
                      return execution.start;
                    },
                .device_work = false};
    submit(target, op);
  });
}

cudaError_t cudaHostAlloc(void** pointer, std::size_t bytes, unsigned flags) {
  return api(Needs::device, host_cost::allocate, [&] {
    require(pointer != nullptr);
    *pointer = allocate_pinned(bytes, flags);
  });
}

cudaError_t cudaMallocHost(void** pointer, std::size_t bytes) {
  return cudaHostAlloc(pointer, bytes, cudaHostAllocDefault);
}

cudaError_t cudaFreeHost(void* pointer) {
  return api(Needs::driver, host_cost::allocate, [&] {
    if (pointer == nullptr) return;
    const auto block = process().memory().find(pointer);
    require(block && block->base == pointer && block->place == Place::pinned && !block->registered);
    drain();
    const Block removed = process().memory().remove(pointer, Place::pinned);
    munmap(removed.base, in_pages(removed.bytes));
  });
}

cudaError_t cudaHostRegister(void* pointer, std::size_t bytes, unsigned flags) {
  return api(Needs::device, host_cost::allocate, [&] {
    require(pointer != nullptr && bytes > 0);
    require(!process().memory().find(pointer), cudaErrorHostMemoryAlreadyRegistered);
    auto* base = static_cast<std::byte*>(pointer);
    process().memory().insert({.place = Place::pinned,
                               .device = Process::current_ordinal(),
                               .base = base,
                               .bytes = bytes,
                               .alias = base,
                               .flags = flags,
                               .registered = true});
  });
}

cudaError_t cudaHostUnregister(void* pointer) {
  return api(Needs::device, host_cost::allocate, [&] {
    const auto block = process().memory().find(pointer);
    require(block && block->base == pointer && block->registered, cudaErrorHostMemoryNotRegistered);
    drain();
    process().memory().remove(pointer, Place::pinned);
  });
}

cudaError_t cudaHostGetDevicePointer(void** device_pointer, void* host_pointer, unsigned flags) {
  return api(Needs::device, host_cost::trivial, [&] {
    require(device_pointer != nullptr && flags == 0);
    const auto block = process().memory().find(host_pointer);
    require(block && block->place == Place::pinned);
    *device_pointer = host_pointer;
  });
}

cudaError_t cudaHostGetFlags(unsigned* flags, void* pointer) {
  return api(Needs::device, host_cost::trivial, [&] {
    const auto block = process().memory().find(pointer);
    require(flags != nullptr && block && block->place == Place::pinned);
    *flags = block->flags;
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  return api(Needs::driver, host_cost::query, [&] {
    require(attributes != nullptr);
    *attributes = {};
    attributes->type = cudaMemoryTypeUnregistered;
    attributes->device = -2;  // as CUDA reports for memory that it does not know
    const auto block = process().memory().find(pointer);
    if (!block) {
      attributes->hostPointer = const_cast<void*>(pointer);
      return;
    }
    attributes->device = block->device;
    attributes->devicePointer = const_cast<void*>(pointer);
    if (block->place == Place::pinned) attributes->hostPointer = const_cast<void*>(pointer);
    attributes->type = block->place == Place::pinned ? cudaMemoryTypeHost : cudaMemoryTypeDevice;
  });
}

cudaError_t cudaMemcpy(void* destination, const void* source, std::size_t bytes, cudaMemcpyKind kind) {
  return copy_call(destination, source, bytes, kind, nullptr, false);
}

cudaError_t cudaMemcpyAsync(void* destination, const void* source, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return copy_call(destination, source, bytes, kind, stream, true);
}

cudaError_t cudaMemcpyPeerAsync(void* destination, int destination_device, const void* source, int source_device,
                                std::size_t bytes, cudaStream_t stream) {
  return api(Needs::device, host_cost::copy, [&] {
    const Endpoint to = endpoint_at(destination, bytes), from = endpoint_at(source, bytes);
    process().device(destination_device);
    process().device(source_device);
    require(to.on_device() && from.on_device());
    copy(stream_of(stream), destination, source, bytes, cudaMemcpyDeviceToDevice, true);
  });
}

cudaError_t cudaMemcpyPeer(void* destination, int destination_device, const void* source, int source_device,
                           std::size_t bytes) {
  return cudaMemcpyPeerAsync(destination, destination_device, source, source_device, bytes, nullptr);
}

cudaError_t cudaMemsetAsync(void* destination, int value, std::size_t bytes, cudaStream_t stream) {
  return api(Needs::device, host_cost::launch, [&] { fill(stream_of(stream), destination, value, bytes); });
}

cudaError_t cudaMemset(void* destination, int value, std::size_t bytes) {
  return cudaMemsetAsync(destination, value, bytes, nullptr);
}
}
