#pragma once

#include <mutex>
#include <unordered_map>

#include "tests/emulator/cuda/errors.hpp"

namespace emulator {

/// The objects of one kind that the application holds handles of: a handle that was never given out, or no longer
/// holds, is noticed.
template <typename Owner>
class Handles {
 public:
  /// Takes over a (smart) pointer; what it points to is the handle.
  auto add(Owner owner) {
    const auto handle = owner.get();
    const std::lock_guard lock(mutex_);
    owners_.emplace(handle, std::move(owner));
    return handle;
  }
  [[nodiscard]] bool has(const void* handle) const {
    const std::lock_guard lock(mutex_);
    return owners_.contains(handle);
  }
  /// Throws ApiError(cudaErrorInvalidResourceHandle).
  Owner remove(const void* handle) {
    const std::lock_guard lock(mutex_);
    const auto found = owners_.find(handle);
    require(found != owners_.end(), cudaErrorInvalidResourceHandle);
    Owner owner = std::move(found->second);
    owners_.erase(found);
    return owner;
  }
  /// Throws ApiError(cudaErrorInvalidResourceHandle).
  Owner& get(const void* handle) {
    const std::lock_guard lock(mutex_);
    const auto found = owners_.find(handle);
    require(found != owners_.end(), cudaErrorInvalidResourceHandle);
    return found->second;
  }

 private:
  mutable std::mutex mutex_;
  std::unordered_map<const void*, Owner> owners_;
};

}  // namespace emulator
