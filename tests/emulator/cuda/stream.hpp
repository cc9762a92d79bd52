#pragma once

#include <cuda_runtime_api.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/emulator/cuda/delivery.hpp"

namespace emulator {

struct Device;
class Capture;
using Stream = CUstream_st;

/// A point of a stream, passed when everything before it is done. Guarded by the scheduler's mutex.
struct Marker {
  bool passed = false;
  double time = 0;  ///< Virtual [s], once passed.
  Frontier frontier;
  std::shared_ptr<Stream> stream;  ///< Until passed.
};
using MarkerPtr = std::shared_ptr<Marker>;

/// Host memory that a pending operation reads or writes.
struct HostRange {
  const std::byte* begin = nullptr;
  std::size_t bytes = 0;
};

/// What an operation learns when it is run.
struct Execution {
  Stream& stream;
  double start = 0;             ///< Virtual [s].
  std::uint64_t delivered = 0;  ///< Set by what gave something to Deliveries: the number it had.
};

/// One entry of a stream.
struct Op {
  std::string name{};                       ///< Faults are planted by it.
  std::function<double(Execution&)> run{};  ///< Virtual end [s]; empty: takes no time. Throws StreamFault.
  std::vector<int> resources{};             ///< Announced from the enqueueing to the end.
  std::vector<HostRange> host{};
  std::vector<MarkerPtr> waits{};
  MarkerPtr passes{};
  double enqueued = 0;            ///< Virtual host time.
  bool device_work = true;        ///< Counts as an operation of the card.
  bool may_block = false;         ///< Waits for something outside: not run by a query,
  std::function<bool()> ready{};  ///< unless this says that it would not wait now.
};

}  // namespace emulator

/// A stream. Members are guarded by the scheduler's mutex; clock and frontier belong to whoever executes it.
struct CUstream_st : std::enable_shared_from_this<CUstream_st> {
  explicit CUstream_st(emulator::Device& owner) : device(owner) {}

  emulator::Device& device;
  std::uint64_t id = 0;
  unsigned flags = 0;
  int priority = 0;
  std::deque<emulator::Op> queue;
  std::chrono::steady_clock::time_point waiting_since;  ///< Of the front of the queue.
  bool executing = false, helped = false, destroyed = false;
  std::uint64_t pushed = 0, completed = 0;
  std::uint64_t joined_by_legacy = 0, legacy_seen = 0;  ///< How far the default stream and this one have been ordered.
  double clock = 0;                                     ///< Virtual [s].
  emulator::Frontier frontier;
  std::uint64_t deliveries = 0;
  std::uint64_t work_count = 0;                ///< Key of the noise.
  std::shared_ptr<emulator::Capture> capture;  ///< While a graph is being captured.
  std::vector<std::size_t> tips;               ///< Nodes of it that the next operation comes after.
};
