#pragma once

#include "core/units.hpp"
#include "kernels/cuda/memory.hpp"
#include "kernels/cuda/stream.hpp"

namespace assay::cuda {

/// Holds streams back until everything is in their queues, so that all start together: a kernel of one thread waits
/// for a word in host memory. Each hold() needs an open() before the next; opens on destruction.
class Gate {
 public:
  /// The kernel gives up by itself after `longest`, so that a lost host leaves no GPU behind that waits for ever.
  explicit Gate(Seconds longest = Seconds(60));
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  ~Gate();

  /// Later work of the stream waits for open(). Several streams may be held.
  void hold(const Stream& stream);
  void open() noexcept;
  /// True when a kernel gave up waiting before open(): times of that batch mean nothing.
  [[nodiscard]] bool gave_up() const;

 private:
  PinnedMemory words_;  ///< [0] number of the last open(), [1] set by a kernel that gave up
  unsigned turn_ = 0;
  Seconds longest_;
};

}  // namespace assay::cuda
