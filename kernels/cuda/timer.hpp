#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/cuda/stream.hpp"

namespace assay::cuda {

/// Pairs of events around the iterations of a batch, made once.
class EventTimer {
 public:
  explicit EventTimer(std::uint64_t longest_batch);

  void reset() { used_ = 0; }
  void start(const Stream& stream);
  void stop(const Stream& stream);
  /// Seconds of each pair since reset(), in order; the work has to be done. out.size() is their number.
  void seconds(std::span<double> out) const;
  [[nodiscard]] std::uint64_t pairs() const { return used_; }
  /// Pairs whose work is over by now.
  [[nodiscard]] std::uint64_t done() const noexcept;

 private:
  std::vector<Event> starts_;
  std::vector<Event> stops_;
  std::uint64_t used_ = 0;
};

}  // namespace assay::cuda
