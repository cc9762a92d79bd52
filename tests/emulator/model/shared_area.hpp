#pragma once

#include <cstddef>
#include <string>
#include <type_traits>

namespace emulator {

/// A file of the state directory, mapped and at first all zero. Ends the process when it cannot be had.
class SharedMapping {
 public:
  SharedMapping(const std::string& name, std::size_t bytes);
  ~SharedMapping();
  SharedMapping(const SharedMapping&) = delete;
  SharedMapping& operator=(const SharedMapping&) = delete;

  [[nodiscard]] void* data() const { return data_; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_;
};

/// One T that all processes of the job (and all replacement libraries in each) see, zero at first. T holds no pointers;
/// what more than one process writes is a lock-free std::atomic.
template <typename T>
class SharedArea {
  static_assert(std::is_standard_layout_v<T> && std::is_trivially_destructible_v<T>);

 public:
  explicit SharedArea(const std::string& name) : mapping_(name, sizeof(T)) {}
  T& operator*() const { return *static_cast<T*>(mapping_.data()); }
  T* operator->() const { return static_cast<T*>(mapping_.data()); }

 private:
  SharedMapping mapping_;
};

}  // namespace emulator
