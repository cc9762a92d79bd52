#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace emulator::nccl {

/// Sleeps while the word, which may lie in memory shared between processes, has this value; at most so long. May return
/// early: the caller looks again.
void sleep_while(const std::atomic<std::uint32_t>& word, std::uint32_t value, std::chrono::milliseconds most);
/// Wakes all who sleep on the word.
void wake_all(std::atomic<std::uint32_t>& word);

}  // namespace emulator::nccl
