// Streams and events.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <atomic>
#include <mutex>

#include "tests/emulator/cuda/errors.hpp"
#include "tests/emulator/cuda/graph.hpp"
#include "tests/emulator/cuda/handles.hpp"
#include "tests/emulator/cuda/ipc.hpp"
#include "tests/emulator/cuda/process.hpp"
#include "tests/emulator/cuda/streams.hpp"

namespace emulator {
namespace {

/// Between two operations of a stream, and for recording an event [s].
constexpr double record_seconds = 0.6e-6;

std::uint64_t next_stream_id() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

std::shared_ptr<Stream> make_stream(Device& device, unsigned flags, int priority) {
  auto stream = std::make_shared<Stream>(device);
  stream->id = next_stream_id();
  stream->flags = flags;
  stream->priority = priority;
  return stream;
}

Handles<std::shared_ptr<Stream>>& streams() {
  static auto* const made = std::make_unique<Handles<std::shared_ptr<Stream>>>().release();
  return *made;
}

Handles<std::unique_ptr<CUevent_st>>& events() {
  static auto* const made = std::make_unique<Handles<std::unique_ptr<CUevent_st>>>().release();
  return *made;
}

double record_time(Execution& execution) { return execution.start + (process().zero_time() ? 0 : record_seconds); }

}  // namespace

Stream& default_stream(Device& device) {
  const std::lock_guard lock(process().scheduler().mutex());
  if (!device.legacy) device.legacy = make_stream(device, cudaStreamDefault, 0);
  return *device.legacy;
}

Stream& stream_of(cudaStream_t handle) {
  if (handle == nullptr || handle == cudaStreamLegacy) return default_stream(process().current());
  require(handle != cudaStreamPerThread, cudaErrorNotSupported);
  require(streams().has(handle), cudaErrorInvalidResourceHandle);
  return *handle;
}

CUevent_st& event_of(cudaEvent_t handle) {
  require(events().has(handle), cudaErrorInvalidResourceHandle);
  return *handle;
}

cudaError_t new_stream(cudaStream_t* handle, unsigned flags, int priority) {
  return api(Needs::device, host_cost::create, [&] {
    require(handle != nullptr && (flags & ~unsigned{cudaStreamNonBlocking}) == 0);
    Device& device = process().current();
    auto stream = make_stream(device, flags, std::clamp(priority, -5, 0));
    {
      const std::lock_guard lock(process().scheduler().mutex());
      device.streams.push_back(stream);
    }
    *handle = streams().add(std::move(stream));
  });
}

cudaError_t new_event(cudaEvent_t* handle, unsigned flags) {
  return api(Needs::device, host_cost::query, [&] {
    require(handle != nullptr);
    require((flags & cudaEventInterprocess) == 0 || (flags & cudaEventDisableTiming) != 0);
    auto event = std::make_unique<CUevent_st>();
    event->flags = flags;
    if ((flags & cudaEventInterprocess) != 0) event->shared = make_ipc_event();
    *handle = events().add(std::move(event));
  });
}

cudaEvent_t adopt_event(std::unique_ptr<CUevent_st> event) { return events().add(std::move(event)); }

namespace {

/// The marker of the event's last record; none when it was never recorded. The event is not part of a capture.
MarkerPtr last_record(CUevent_st& event) {
  const std::lock_guard lock(process().scheduler().mutex());
  require(event.state->capture.expired(), cudaErrorCapturedEvent);
  return event.state->last;
}

void record(CUevent_st& event, Stream& stream, unsigned flags) {
  Op op{.name = "cudaEventRecord", .run = record_time, .device_work = false};
  if (stream.capture) {
    if (flags == cudaEventRecordExternal) {
      const std::size_t node = stream.capture->add(stream, cudaGraphNodeTypeEventRecord, std::move(op));
      stream.capture->graph()->nodes[node]->records = event.state;
    } else {
      event.state->capture = stream.capture;
      event.state->nodes = stream.tips;
    }
    return;
  }
  if (event.shared) op.run = recording(event.shared);
  const MarkerPtr marker = op.passes = std::make_shared<Marker>();
  process().scheduler().push(stream, std::move(op));
  const std::lock_guard lock(process().scheduler().mutex());
  event.state->capture.reset();
  event.state->last = marker;
}

void wait(Stream& stream, CUevent_st& event) {
  if (const auto capture = event.state->capture.lock()) {
    require(!stream.capture || stream.capture == capture, cudaErrorStreamCaptureMerge);
    capture->join(stream, event.state->nodes);
    return;
  }
  require(!stream.capture || !event.state->last, cudaErrorStreamCaptureIsolation);
  if (event.shared && !event.state->last) {
    submit(stream,
           {.name = "cudaStreamWaitEvent", .run = waiting(event.shared), .device_work = false, .may_block = true});
    return;
  }
  const MarkerPtr marker = last_record(event);
  if (!marker) return;
  submit(stream, {.name = "cudaStreamWaitEvent", .waits = {marker}, .device_work = false});
}

}  // namespace
}  // namespace emulator

using namespace emulator;

extern "C" {

cudaError_t cudaStreamCreate(cudaStream_t* stream) { return new_stream(stream, cudaStreamDefault, 0); }
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) { return new_stream(stream, flags, 0); }
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  return new_stream(stream, flags, priority);
}

cudaError_t cudaStreamDestroy(cudaStream_t handle) {
  return api(Needs::driver, host_cost::create, [&] {
    require(handle != nullptr, cudaErrorInvalidResourceHandle);
    Stream& stream = stream_of(handle);
    if (stream.capture) stream.capture->invalidate();
    const std::shared_ptr<Stream> keep = streams().remove(handle);
    const std::lock_guard lock(process().scheduler().mutex());
    std::erase(stream.device.streams, keep);
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  return api(Needs::device, host_cost::synchronize, [&] {
    Stream& stream = stream_of(handle);
    refuse_in_capture(stream);
    process().raise(process().scheduler().finish(stream));
    return static_cast<cudaError_t>(stream.device.fault.load());
  });
}

// How often a program looks depends on the load of the machine: only the last look takes virtual time.
cudaError_t cudaStreamQuery(cudaStream_t handle) {
  return api(Needs::device, 0, [&] {
    Stream& stream = stream_of(handle);
    refuse_in_capture(stream);
    if (!process().scheduler().finished(stream)) return cudaErrorNotReady;
    process().raise(stream.clock);
    spend(host_cost::query);
    return static_cast<cudaError_t>(stream.device.fault.load());
  });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  return api(Needs::device, host_cost::record, [&] { wait(stream_of(stream), event_of(event)); });
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
  return api(Needs::device, host_cost::trivial, [&] { *flags = stream_of(stream).flags; });
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  return api(Needs::device, host_cost::trivial, [&] { *priority = stream_of(stream).priority; });
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
  return api(Needs::device, host_cost::trivial, [&] { *id = stream_of(stream).id; });
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device) {
  return api(Needs::device, host_cost::trivial, [&] { *device = stream_of(stream).device.ordinal; });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t handle, cudaHostFn_t function, void* data) {
  return api(Needs::device, host_cost::launch, [&] {
    require(function != nullptr);
    submit(stream_of(handle), {.name = "cudaLaunchHostFunc",
                               .run =
                                   [function, data](Execution& execution) {
                                     process().deliveries().release(execution.stream.frontier);
                                     function(data);
                                     return execution.start + (process().zero_time() ? 0 : 5e-6);
                                   },
                               .device_work = false,
                               .may_block = true});
  });
}

cudaError_t cudaEventCreate(cudaEvent_t* event) { return new_event(event, cudaEventDefault); }
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) { return new_event(event, flags); }

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return api(Needs::driver, host_cost::query, [&] {
    require(event != nullptr, cudaErrorInvalidResourceHandle);
    event_of(event);
    events().remove(event);
  });
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  return api(Needs::device, host_cost::record, [&] { record(event_of(event), stream_of(stream), flags); });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault);
}

cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
  return api(Needs::device, host_cost::synchronize, [&] {
    CUevent_st& event = event_of(handle);
    if (event.shared && !event.state->last) return wait_for(*event.shared);
    const MarkerPtr marker = last_record(event);
    if (marker) process().raise(process().scheduler().finish(marker));
    check(Needs::device);
    return cudaSuccess;
  });
}

cudaError_t cudaEventQuery(cudaEvent_t handle) {
  return api(Needs::device, 0, [&] {
    CUevent_st& event = event_of(handle);
    if (event.shared && !event.state->last) return query(*event.shared);
    const MarkerPtr marker = last_record(event);
    if (!marker) return cudaSuccess;
    if (!process().scheduler().finished(marker)) return cudaErrorNotReady;
    process().raise(marker->time);
    spend(host_cost::query);
    check(Needs::device);
    return cudaSuccess;
  });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return api(Needs::device, host_cost::query, [&] {
    require(milliseconds != nullptr);
    CUevent_st& first = event_of(start);
    CUevent_st& last = event_of(end);
    require(((first.flags | last.flags) & cudaEventDisableTiming) == 0, cudaErrorInvalidResourceHandle);
    const MarkerPtr from = last_record(first), to = last_record(last);
    require(from && to, cudaErrorInvalidResourceHandle);
    if (!process().scheduler().passed(from) || !process().scheduler().passed(to)) return cudaErrorNotReady;
    *milliseconds = static_cast<float>((to->time - from->time) * 1e3);
    return cudaSuccess;
  });
}
}
