#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "tests/emulator/model/cluster.hpp"

namespace emulator {

/// What the processes of the job did on one card.
struct Activity {
  std::atomic<double> busy_seconds;           ///< Virtual.
  std::array<std::atomic<double>, 3> shares;  ///< Recent busy time of compute, memory and copy; fades.
  std::atomic<int> compute_type;              ///< Of the last compute load.
  std::atomic<std::int64_t> last_busy;        ///< Wall time [ns]; 0 = never.
  std::atomic<std::uint64_t> operations;
  std::atomic<std::int64_t> held_bytes;
};

Activity& activity_of(const Gpu& gpu);

}  // namespace emulator
