#include "tests/emulator/cuda/engine.hpp"

#include "tests/emulator/cuda/contention.hpp"
#include "tests/emulator/cuda/copies.hpp"
#include "tests/emulator/cuda/errors.hpp"
#include "tests/emulator/cuda/process.hpp"
#include "tests/emulator/cuda/streams.hpp"
#include "tests/emulator/cuda/timing.hpp"

namespace emulator {
namespace {

/// The stream whose foreign work this thread is running.
thread_local Stream* running = nullptr;

double run_foreign(const StreamWork& work, Execution& execution) {
  Stream* const before = std::exchange(running, &execution.stream);
  const auto restore = [&](Stream*) { running = before; };
  const std::unique_ptr<Stream, decltype(restore)> guard(&execution.stream, restore);
  return work.run(execution.start);
}

}  // namespace

cudaError_t enqueue(cudaStream_t handle, StreamWork work) {
  try {
    check(Needs::device);
    spend(host_cost::launch);
    Stream& stream = stream_of(handle);
    Op op{.name = work.name, .resources = work.resources, .writes = work.writes, .may_block = work.may_block};
    op.run = [shared = std::make_shared<StreamWork>(std::move(work))](Execution& execution) {
      return run_foreign(*shared, execution);
    };
    submit(stream, std::move(op));
    return cudaSuccess;
  } catch (...) {
    return code_of_current_exception();
  }
}

void* host_alias(const void* address, std::size_t bytes) {
  try {
    const Endpoint end = endpoint_at(address, bytes);
    return end.place != Place::pageable && reachable(process().current(), end.block) ? end.at : nullptr;
  } catch (const ApiError&) {
    return nullptr;
  }
}

const Gpu& gpu_of(cudaStream_t stream) { return *stream_of(stream).device.gpu; }
const Gpu& current_gpu() { return *process().current().gpu; }
int device_of(cudaStream_t stream) { return stream_of(stream).device.ordinal; }
bool is_capturing(cudaStream_t stream) { return stream_of(stream).capture != nullptr; }
cudaError_t device_state() { return static_cast<cudaError_t>(process().current().fault.load()); }

double work_seconds(const Cost& cost) { return running == nullptr ? 0 : kernel_seconds(*running, cost); }
std::uint64_t memory_version() { return process().memory_version(); }
void note_write() { process().note_write(); }

int sharers(int resource) { return running == nullptr ? 1 : sharers(*running, resource); }

}  // namespace emulator
