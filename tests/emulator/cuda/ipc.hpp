#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <memory>

#include "tests/emulator/cuda/streams.hpp"

namespace emulator {

/// The state of an event that other processes may open: in memory that they share.
std::shared_ptr<IpcEvent> make_ipc_event();

/// Operations that record it and that wait for what was last recorded when this is called.
std::function<double(Execution&)> recording(const std::shared_ptr<IpcEvent>& event);
std::function<double(Execution&)> waiting(const std::shared_ptr<IpcEvent>& event);

/// Of the host, for an event that another process records.
cudaError_t wait_for(IpcEvent& event);
cudaError_t query(IpcEvent& event);

}  // namespace emulator
