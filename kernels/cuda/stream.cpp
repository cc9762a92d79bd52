#include "kernels/cuda/stream.hpp"

#include "kernels/cuda/check.hpp"

namespace assay::cuda {

void Stream::Destroy::operator()(cudaStream_t stream) const noexcept { ignore(cudaStreamDestroy(stream)); }

Stream::Stream() {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  handle_.reset(stream);
}

void Stream::synchronise() const { check(cudaStreamSynchronize(get()), "cudaStreamSynchronize"); }

void Event::Destroy::operator()(cudaEvent_t event) const noexcept { ignore(cudaEventDestroy(event)); }

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
