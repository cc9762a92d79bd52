#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "tests/emulator/cuda/stream.hpp"

namespace emulator {

/// Runs the streams of the process. Nothing runs when it is enqueued: a host thread that waits for a stream runs it
/// itself, so that most programs cost no thread change at all; what nobody waits for is run by helper threads some
/// milliseconds later. An operation that blocks (a collective, a gate) holds up its own stream only.
class Scheduler {
 public:
  /// Appends to the stream (after what the rules of the default stream put before it); its number in the stream.
  std::uint64_t push(Stream& stream, Op op);
  /// Appends a point, passed when everything before it is done.
  MarkerPtr mark(Stream& stream);

  /// Waits until the stream has done everything enqueued up to now; returns its virtual time.
  double finish(Stream& stream);
  double finish(const MarkerPtr& marker);
  /// The same without waiting for long; false when it is not done.
  bool finished(Stream& stream);
  bool finished(const MarkerPtr& marker);
  /// It has been passed; runs nothing.
  bool passed(const MarkerPtr& marker);
  /// Waits for everything on the device.
  double finish(Device& device);

  /// Any pending operation uses a part of this host memory.
  bool in_use(const HostRange& range);
  /// Guards streams, markers and events.
  std::mutex& mutex() { return mutex_; }

 private:
  using Lock = std::unique_lock<std::mutex>;
  void append(Stream& stream, Op op);
  void order_with_default_stream(Stream& stream, Op& op);
  void step(Lock& lock, Stream& stream);
  void execute(Lock& lock, Stream& stream, Op& op);
  static double run_op(Op& op, Execution& execution);
  void pass(Lock& lock, const MarkerPtr& marker);
  double finish(Lock& lock, Stream& stream, std::uint64_t number);
  template <typename Done>
  bool poll(Lock& lock, Stream& stream, Done done);
  void need_helper(Stream& stream);
  void wake_watcher();
  [[noreturn]] void watch_forever();
  [[noreturn]] void help_forever();

  std::mutex mutex_;
  std::condition_variable progress_;  ///< An operation is done.
  std::condition_variable watcher_wakes_, helper_wakes_;
  std::vector<std::shared_ptr<Stream>> busy_;   ///< With something in their queues.
  std::vector<std::shared_ptr<Stream>> ready_;  ///< For helpers.
  int idle_helpers_ = 0;
  bool watcher_started_ = false, watcher_sleeps_ = false;
};

}  // namespace emulator
