#pragma once

#include <string>

#include "tests/emulator/nccl/communicator.hpp"

/// The lines that NCCL writes to its debug stream, in its layout.
namespace emulator::nccl {

/// As NCCL prints it: "1b000".
std::string bus_id(const Gpu& gpu);
/// Channels of collectives over this machine.
int channels_of(const Shape& shape);

/// Before and after a communicator has found its ranks.
void report_start(const Communicator& communicator);
void report_connections(const Communicator& communicator);
/// The tuning's choice for one collective, and the call.
void report_call(const Communicator& communicator, const Operation& operation, std::uint64_t number,
                 const void* stream);

}  // namespace emulator::nccl
