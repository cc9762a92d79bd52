#pragma once

#include <string>

#include "tests/emulator/model/cluster.hpp"

namespace emulator::nccl {

/// How many of `results` more a card with the fault wrong_results gets wrong, its rate added up over this process.
int wrong_results(const Gpu& gpu, double results);

/// The operation that a named fault of this kind strikes: the first after so many whose name contains the fault's
/// `operation`. Faults without a name are the engine's, which counts operations of all kinds.
bool strikes(const Gpu& gpu, FaultKind kind, const std::string& name);

}  // namespace emulator::nccl
