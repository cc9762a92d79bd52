#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>

#include "core/device.hpp"

namespace assay::cuda {

/// Memory of the current device; contents are whatever was there.
class Memory final : public DeviceMemory {
 public:
  Memory() = default;
  /// Throws Error(environment) with size and what is free when there is not enough.
  explicit Memory(std::size_t bytes);

  [[nodiscard]] void* data() const override { return data_.get(); }
  [[nodiscard]] std::size_t size() const override { return size_; }
  /// `offset` bytes into it.
  template <class T = std::byte>
  [[nodiscard]] T* at(std::size_t offset = 0) const {
    return reinterpret_cast<T*>(static_cast<std::byte*>(data_.get()) + offset);
  }

 private:
  struct Free {
    void operator()(void* data) const noexcept;
  };
  std::unique_ptr<void, Free> data_;
  std::size_t size_ = 0;
};

/// Page-locked host memory that devices reach as well, at the same address.
class PinnedMemory {
 public:
  PinnedMemory() = default;
  /// On the NUMA node `numa_node` when given (a preference: the system may have to take another).
  explicit PinnedMemory(std::size_t bytes, std::optional<int> numa_node = std::nullopt);

  [[nodiscard]] std::byte* data() const { return data_.get(); }
  [[nodiscard]] std::size_t size() const { return size_; }
  template <class T>
  [[nodiscard]] std::span<T> as() const {
    return {reinterpret_cast<T*>(data_.get()), size_ / sizeof(T)};
  }

 private:
  struct Free {
    void operator()(std::byte* data) const noexcept;
  };
  std::unique_ptr<std::byte, Free> data_;
  std::size_t size_ = 0;
};

/// What another process on the node needs to reach a Memory; plain bytes, to be sent through a Group.
struct MemoryHandle {
  cudaIpcMemHandle_t handle;
  std::size_t size;
};

/// `memory` has to outlive all who opened the handle.
[[nodiscard]] MemoryHandle share(const Memory& memory);

/// Memory of another process's GPU on this node, reached from the current device (peer access is switched on where
/// needed). Throws Error(environment) when the two GPUs cannot reach each other.
class PeerMemory {
 public:
  PeerMemory() = default;
  explicit PeerMemory(const MemoryHandle& handle);

  [[nodiscard]] void* data() const { return data_.get(); }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  struct Close {
    void operator()(void* data) const noexcept;
  };
  std::unique_ptr<void, Close> data_;
  std::size_t size_ = 0;
};

}  // namespace assay::cuda
