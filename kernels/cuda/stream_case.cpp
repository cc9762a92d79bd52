#include "kernels/cuda/stream_case.hpp"

#include <utility>

#include "core/error.hpp"
#include "kernels/cuda/check.hpp"

namespace assay::cuda {

namespace {

// Of the time that a phase may take: the watchdog, which can only end the whole run, comes after.
constexpr double share_of_deadline = 0.75;

CudaDevice& working_device(const Context& context) {
  require_working_device();
  return cuda_device(context.device);
}

}  // namespace

StreamCase::StreamCase(Context& context, Start start)
    : device_(working_device(context)), group_(context.group), timer_(longest_batch) {
  const Seconds patience = context.deadline.remaining() * share_of_deadline;
  device_.stream().set_patience(patience);
  if (start == Start::together) gate_.emplace(patience);
}

void StreamCase::keep_error(const std::function<void()>& step) noexcept {
  try {
    step();
  } catch (...) {
    if (!failure_) failure_ = std::current_exception();
  }
}

void StreamCase::begin() {
  failure_ = nullptr;
  timer_.reset();
  keep_error([this] {
    prepare();
    if (gate_) gate_->hold(stream());
  });
}

void StreamCase::run() {
  if (failure_) return;
  try {
    timer_.start(stream());
    enqueue();
    timer_.stop(stream());
  } catch (...) {
    failure_ = std::current_exception();
  }
}

void StreamCase::end() {
  if (gate_) {
    group_.quiet_barrier();  // asleep until all have come, then start together
    group_.barrier();
    gate_->open();
  }
  keep_error([this] { drain("a batch of iterations"); });
  keep_error([this] {
    if (gate_ && gate_->gave_up())
      throw environment_error("the gate that holds the GPU's work back was not opened in time",
                              "another rank of this series stayed away too long");
  });
  keep_error([this] { finish(); });
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void StreamCase::drain(const char* what) const { stream().synchronise(what); }

double times_ranks(const Context& context, double amount) { return amount * context.group.size(); }

}  // namespace assay::cuda
