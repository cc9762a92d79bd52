#pragma once

#include <cuda_runtime_api.h>

#include <memory>

#include "tests/emulator/cuda/stream.hpp"

namespace emulator {

/// The stream behind a handle; null and cudaStreamLegacy: the default stream of the current device.
/// Throws ApiError(cudaErrorInvalidResourceHandle).
Stream& stream_of(cudaStream_t handle);
Stream& default_stream(Device& device);

/// Puts an operation into a stream, or into the graph that the stream captures.
void submit(Stream& stream, Op op);

struct IpcEvent;

/// What an event shares with the graphs and streams that record it.
struct EventState {
  MarkerPtr last;                  ///< Of the last cudaEventRecord; none before the first.
  std::weak_ptr<Capture> capture;  ///< It was last recorded in this capture, after these nodes.
  std::vector<std::size_t> nodes;
};

}  // namespace emulator

/// An event. Guarded by the scheduler's mutex.
struct CUevent_st {
  unsigned flags = 0;
  std::shared_ptr<emulator::EventState> state = std::make_shared<emulator::EventState>();
  std::shared_ptr<emulator::IpcEvent> shared;  ///< Of an event that other processes may open.
};

namespace emulator {

/// The event behind a handle. Throws ApiError(cudaErrorInvalidResourceHandle).
CUevent_st& event_of(cudaEvent_t handle);
/// Gives out a handle for a new event.
cudaEvent_t adopt_event(std::unique_ptr<CUevent_st> event);

}  // namespace emulator
