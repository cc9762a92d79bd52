#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <span>

#include "core/case.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/cuda/gate.hpp"
#include "kernels/cuda/timer.hpp"

namespace assay::cuda {

/// A case whose iterations are work in one stream of this rank's GPU, timed by events. All ranks of the set start a
/// batch together: a gate holds the stream until everything is queued on all of them. An error is kept until the last
/// communication of the batch, so that no rank waits for one that has left.
class StreamCase : public Case {
 public:
  /// Most run() calls of a batch, for CaseInfo::longest_batch.
  static constexpr std::uint64_t longest_batch = 128;

  enum class Start { together, at_once };
  /// `at_once`: no gate; the host's queueing is part of what is measured.
  explicit StreamCase(Context& context, Start start = Start::together);

  void begin() final;
  void run() final;
  void end() final;
  void device_seconds(std::span<double> out) override { timer_.seconds(out); }

 protected:
  /// Untimed work at the head of a batch.
  virtual void prepare() {}
  /// One iteration.
  virtual void enqueue() = 0;
  /// Untimed, after a batch, on every rank, also after an error; may communicate and must not throw before it has.
  virtual void finish() {}

  [[nodiscard]] CudaDevice& device() const { return device_; }
  [[nodiscard]] const Stream& stream() const { return device_.stream(); }
  [[nodiscard]] Group& group() const { return group_; }
  /// Waits for the stream, at most as long as a batch may take.
  void drain(const char* what) const;

 private:
  void keep_error(const std::function<void()>& step) noexcept;

  CudaDevice& device_;
  Group& group_;
  EventTimer timer_;
  std::optional<Gate> gate_;
  std::exception_ptr failure_;
};

/// `count` iterations of `amount` each by every rank of the set, on GPUs that work side by side.
[[nodiscard]] double times_ranks(const Context& context, double amount);

}  // namespace assay::cuda
