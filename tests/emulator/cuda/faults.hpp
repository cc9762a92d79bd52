#pragma once

#include <string>

#include "tests/emulator/cuda/process.hpp"

namespace emulator {

/// Counts the operation and lets happen what faults of the card have planned for it: never return (hang), end the
/// process (crash), or throw StreamFault (lost card).
void before_operation(Device& device, const std::string& name);

/// Says on stderr what went wrong in the emulator itself and puts the device into a sticky error.
void report_and_fail(Device& device, const std::string& name, const std::string& what);

/// How many of `results` new ones a card with the fault wrong_results gets wrong: its rate, added up over the card's
/// work.
int wrong_results(const Gpu& gpu, double results);

}  // namespace emulator
