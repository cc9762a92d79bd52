#include "kernels/cuda/timer.hpp"

#include <limits>

#include "core/error.hpp"
#include "kernels/cuda/check.hpp"

namespace assay::cuda {

EventTimer::EventTimer(std::uint64_t longest_batch) : starts_(longest_batch), stops_(longest_batch) {}

void EventTimer::start(const Stream& stream) {
  if (used_ >= starts_.size()) throw environment_error("a batch is longer than the case said");
  starts_[used_].record(stream);
}

void EventTimer::stop(const Stream& stream) { stops_[used_++].record(stream); }

std::uint64_t EventTimer::done() const noexcept {
  std::uint64_t done = 0;
  while (done < used_ && cudaEventQuery(stops_[done].get()) == cudaSuccess) ++done;
  ignore(cudaGetLastError());  // "not ready" is no error
  return done;
}

void EventTimer::seconds(std::span<double> out) const {
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = i < used_ ? seconds_between(starts_[i], stops_[i]) : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace assay::cuda
