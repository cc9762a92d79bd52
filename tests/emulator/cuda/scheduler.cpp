#include "tests/emulator/cuda/scheduler.hpp"

#include <algorithm>
#include <thread>

#include "tests/emulator/cuda/contention.hpp"
#include "tests/emulator/cuda/engine.hpp"
#include "tests/emulator/cuda/faults.hpp"
#include "tests/emulator/cuda/process.hpp"

namespace emulator {
namespace {

using Clock = std::chrono::steady_clock;

/// So long may an operation stay in its queue before a helper takes it: a host that goes on enqueueing or that waits
/// is quicker. Also the bound of a query, which keeps polling loops from filling a core.
constexpr std::chrono::microseconds patience{2000}, query_wait{300};
/// Rounds of the watcher without any work before it sleeps until it is woken.
constexpr int idle_rounds = 25;

/// A query may run it: it will not wait for anything, nor hang by a planned fault.
bool runs_at_once(const Stream& stream, const Op& op) {
  if (stream.device.gpu->fault(FaultKind::hang) != nullptr) return false;
  if (op.may_block && !(op.ready && op.ready())) return false;
  return std::all_of(op.waits.begin(), op.waits.end(), [](const auto& wait) { return wait->passed; });
}

bool waits_for_executor(const Stream& stream) { return !stream.executing && !stream.queue.empty(); }

}  // namespace

void Scheduler::order_with_default_stream(Stream& stream, Op& op) {
  Device& device = stream.device;
  if (&stream == device.legacy.get()) {
    for (const auto& other : device.streams) {
      if ((other->flags & cudaStreamNonBlocking) != 0 || other->pushed == other->joined_by_legacy) continue;
      Op point{.name = "join", .device_work = false};
      op.waits.push_back(point.passes = std::make_shared<Marker>());
      append(*other, std::move(point));
      other->joined_by_legacy = other->pushed;
    }
  } else if ((stream.flags & cudaStreamNonBlocking) == 0 && device.legacy &&
             stream.legacy_seen != device.legacy->pushed) {
    Op point{.name = "join", .device_work = false};
    op.waits.push_back(point.passes = std::make_shared<Marker>());
    append(*device.legacy, std::move(point));
    stream.legacy_seen = device.legacy->pushed;
  }
}

void Scheduler::append(Stream& stream, Op op) {
  if (stream.queue.empty() && !stream.executing) {
    busy_.push_back(stream.shared_from_this());
    stream.waiting_since = Clock::now();
  }
  if (op.passes) op.passes->stream = stream.shared_from_this();
  announce(stream, op.resources);
  stream.queue.push_back(std::move(op));
  ++stream.pushed;
}

std::uint64_t Scheduler::push(Stream& stream, Op op) {
  op.enqueued = process().clock();
  Lock lock(mutex_);
  order_with_default_stream(stream, op);
  append(stream, std::move(op));
  if (!stream.executing) wake_watcher();
  return stream.pushed;
}

MarkerPtr Scheduler::mark(Stream& stream) {
  Op point{.name = "event", .device_work = false};
  MarkerPtr marker = point.passes = std::make_shared<Marker>();
  push(stream, std::move(point));
  return marker;
}

/// Called without the lock. The virtual end.
double Scheduler::run_op(Op& op, Execution& execution) {
  Device& device = execution.stream.device;
  try {
    if (device.fault == cudaSuccess && op.device_work) before_operation(device, op.name);
    if (!op.host.empty()) process().deliveries().release(execution.stream.frontier);
    if (device.fault == cudaSuccess && op.run) return op.run(execution);
  } catch (const StreamFault& fault) {
    if (fault.error() != cudaErrorNotReady) device.fault = fault.error();
  } catch (const std::exception& error) {
    report_and_fail(device, op.name, error.what());
  }
  return execution.start;
}

void Scheduler::execute(Lock& lock, Stream& stream, Op& op) {
  Execution execution{stream, std::max(stream.clock, op.enqueued)};
  for (const MarkerPtr& other : op.waits) {
    pass(lock, other);
    execution.start = std::max(execution.start, other->time);
    stream.frontier.merge(other->frontier);
  }
  stream.clock = execution.start;
  if (op.run || op.device_work) {
    lock.unlock();
    const double end = run_op(op, execution);
    lock.lock();
    stream.clock = std::max(stream.clock, end);
    if (execution.delivered > 0) {
      stream.deliveries = execution.delivered;
      stream.frontier.raise(stream.id, stream.deliveries);
    }
  }
  retract(stream, op.resources);
}

/// Runs the front of the queue. The lock is given up meanwhile.
void Scheduler::step(Lock& lock, Stream& stream) {
  const auto keep = stream.shared_from_this();
  Op op = std::move(stream.queue.front());
  stream.queue.pop_front();
  stream.executing = true;
  execute(lock, stream, op);
  stream.executing = false;
  ++stream.completed;
  if (op.passes) {
    op.passes->time = stream.clock;
    op.passes->frontier = stream.frontier;
    op.passes->passed = true;
    op.passes->stream.reset();
  }
  if (stream.queue.empty()) {
    std::erase(busy_, keep);
  } else {
    stream.waiting_since = Clock::now();
    wake_watcher();
  }
  progress_.notify_all();
}

void Scheduler::pass(Lock& lock, const MarkerPtr& marker) {
  while (!marker->passed) {
    const auto stream = marker->stream;
    if (stream && !stream->executing && !stream->queue.empty()) {
      step(lock, *stream);
    } else {
      progress_.wait(lock);
    }
  }
}

double Scheduler::finish(Lock& lock, Stream& stream, std::uint64_t number) {
  const auto keep = stream.shared_from_this();
  while (stream.completed < number) {
    if (!stream.executing && !stream.queue.empty()) {
      step(lock, stream);
    } else {
      progress_.wait(lock);
    }
  }
  process().deliveries().release(stream.frontier);
  return stream.clock;
}

double Scheduler::finish(Stream& stream) {
  Lock lock(mutex_);
  if (&stream == stream.device.legacy.get()) {
    lock.unlock();
    push(stream, {.name = "join", .device_work = false});
    lock.lock();
  }
  return finish(lock, stream, stream.pushed);
}

double Scheduler::finish(const MarkerPtr& marker) {
  Lock lock(mutex_);
  pass(lock, marker);
  process().deliveries().release(marker->frontier);
  return marker->time;
}

double Scheduler::finish(Device& device) {
  Lock lock(mutex_);
  std::vector<std::shared_ptr<Stream>> all = device.streams;
  for (const auto& stream : busy_) {
    if (&stream->device == &device) all.push_back(stream);
  }
  if (device.legacy) all.push_back(device.legacy);
  double last = 0;
  for (const auto& stream : all) last = std::max(last, finish(lock, *stream, stream->pushed));
  return last;
}

template <typename Done>
bool Scheduler::poll(Lock& lock, Stream& stream, Done done) {
  const auto until = Clock::now() + query_wait;
  while (!done()) {
    if (!stream.executing && !stream.queue.empty() && runs_at_once(stream, stream.queue.front())) {
      step(lock, stream);
      continue;
    }
    if (!stream.executing && !stream.queue.empty()) need_helper(stream);
    if (progress_.wait_until(lock, until) == std::cv_status::timeout) return done();
  }
  return true;
}

bool Scheduler::finished(Stream& stream) {
  Lock lock(mutex_);
  const auto keep = stream.shared_from_this();
  const std::uint64_t number = stream.pushed;
  if (!poll(lock, stream, [&] { return stream.completed >= number; })) return false;
  process().deliveries().release(stream.frontier);
  return true;
}

bool Scheduler::finished(const MarkerPtr& marker) {
  Lock lock(mutex_);
  const auto stream = marker->stream;
  if (!marker->passed && !poll(lock, *stream, [&] { return marker->passed; })) return false;
  process().deliveries().release(marker->frontier);
  return true;
}

bool Scheduler::passed(const MarkerPtr& marker) {
  const Lock lock(mutex_);
  return marker->passed;
}

bool Scheduler::in_use(const HostRange& range) {
  const Lock lock(mutex_);
  const auto overlaps = [&](const HostRange& other) {
    return other.begin < range.begin + range.bytes && range.begin < other.begin + other.bytes;
  };
  for (const auto& stream : busy_) {
    if (stream->executing) return true;
    for (const Op& op : stream->queue) {
      if (std::any_of(op.host.begin(), op.host.end(), overlaps)) return true;
    }
  }
  return false;
}

void Scheduler::need_helper(Stream& stream) {
  if (stream.helped) return;
  stream.helped = true;
  ready_.push_back(stream.shared_from_this());
  if (idle_helpers_ >= static_cast<int>(ready_.size())) {
    helper_wakes_.notify_one();
  } else {
    std::thread([this] { help_forever(); }).detach();
  }
}

void Scheduler::help_forever() {
  Lock lock(mutex_);
  for (;;) {
    while (ready_.empty()) {
      ++idle_helpers_;
      helper_wakes_.wait(lock);
      --idle_helpers_;
    }
    const auto stream = ready_.back();
    ready_.pop_back();
    while (!stream->executing && !stream->queue.empty()) step(lock, *stream);
    stream->helped = false;
  }
}

/// Sees to it that somebody looks after what waits in a queue.
void Scheduler::wake_watcher() {
  if (!watcher_started_) {
    watcher_started_ = true;
    std::thread([this] { watch_forever(); }).detach();
  } else if (watcher_sleeps_) {
    watcher_sleeps_ = false;
    watcher_wakes_.notify_one();
  }
}

void Scheduler::watch_forever() {
  Lock lock(mutex_);
  for (int idle = 0;; ++idle) {
    if (std::any_of(busy_.begin(), busy_.end(), [](const auto& stream) { return waits_for_executor(*stream); })) {
      idle = 0;
    }
    if (idle >= idle_rounds) {
      watcher_sleeps_ = true;
      watcher_wakes_.wait(lock, [this] { return !watcher_sleeps_; });
      idle = 0;
    }
    lock.unlock();
    std::this_thread::sleep_for(patience);
    lock.lock();
    const auto now = Clock::now();
    for (const auto& stream : busy_) {
      if (waits_for_executor(*stream) && now - stream->waiting_since >= patience) need_helper(*stream);
    }
  }
}

}  // namespace emulator
