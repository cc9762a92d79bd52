#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <string_view>
#include <type_traits>

#include "core/units.hpp"

namespace assay::cuda {

/// A queue of work of the current device that does not wait for the default stream.
class Stream {
 public:
  Stream();
  [[nodiscard]] cudaStream_t get() const { return handle_.get(); }
  /// Waits until all its work is done, at most its patience: work that takes longer hangs, the device is given up
  /// (check.hpp), and Error(incomplete) names `what`.
  void synchronise(std::string_view what = "work of the GPU") const;
  void set_patience(Seconds patience) { patience_ = patience; }  ///< 60 s at first

 private:
  struct Destroy {
    void operator()(cudaStream_t stream) const noexcept;
  };
  std::unique_ptr<std::remove_pointer_t<cudaStream_t>, Destroy> handle_;
  Seconds patience_{60};
};

/// A place in a stream.
class Event {
 public:
  enum class Kind { timing, order };
  explicit Event(Kind kind = Kind::timing);
  void record(const Stream& stream) const;
  /// Makes later work of `stream` wait for this place.
  void hold_back(const Stream& stream) const;
  [[nodiscard]] cudaEvent_t get() const { return handle_.get(); }

 private:
  struct Destroy {
    void operator()(cudaEvent_t event) const noexcept;
  };
  std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, Destroy> handle_;
};

/// Seconds from one timing event to another; both have happened. The device's clock resolves about 0.5 us.
[[nodiscard]] double seconds_between(const Event& first, const Event& last);

}  // namespace assay::cuda
