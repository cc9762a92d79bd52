#include "kernels/cuda/stream.hpp"

#include "core/clock.hpp"
#include "core/error.hpp"
#include "kernels/cuda/check.hpp"
#include "kernels/cuda/wait.hpp"

namespace assay::cuda {

void Stream::Destroy::operator()(cudaStream_t stream) const noexcept {
  if (!gave_up_on_device()) ignore(cudaStreamDestroy(stream));
}

Stream::Stream() {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  handle_.reset(stream);
}

void Stream::synchronise(std::string_view what) const {
  const MonotonicClock clock;
  try {
    wait(*this, Deadline(clock, patience_), what);
  } catch (const Error& error) {
    if (error.code() == ExitCode::incomplete) give_up_on_device(error.what());
    throw;
  }
}

void Event::Destroy::operator()(cudaEvent_t event) const noexcept {
  if (!gave_up_on_device()) ignore(cudaEventDestroy(event));
}

Event::Event(Kind kind) {
  cudaEvent_t event = nullptr;
  const unsigned flags = kind == Kind::timing ? cudaEventDefault : cudaEventDisableTiming;
  check(cudaEventCreateWithFlags(&event, flags), "cudaEventCreateWithFlags");
  handle_.reset(event);
}

void Event::record(const Stream& stream) const { check(cudaEventRecord(get(), stream.get()), "cudaEventRecord"); }

void Event::hold_back(const Stream& stream) const {
  check(cudaStreamWaitEvent(stream.get(), get(), 0), "cudaStreamWaitEvent");
}

double seconds_between(const Event& first, const Event& last) {
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, first.get(), last.get()), "cudaEventElapsedTime");
  return 1e-3 * static_cast<double>(milliseconds);
}

}  // namespace assay::cuda
