#include "launcher/run/telemetry.hpp"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <ctime>

#include "core/clock.hpp"

namespace assay {

namespace {

constexpr double slow_period_seconds = 0.5;
// Of the time between two readings of the counters, what one may take.
constexpr double counters_share = 0.004;

double thread_cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Signals are for the main thread: a thread inherits the mask that stands when it starts.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

}  // namespace

double telemetry_resolution(const std::string& metric, double value) {
  struct Resolution {
    const char* metric;
    double step;
  };
  static constexpr std::array<Resolution, 5> steps{{{"gpu.sm_clock", 14e6},
                                                    {"gpu.memory_clock", 1e6},
                                                    {"gpu.temperature", 0.5},
                                                    {"gpu.utilization", 0.049},
                                                    {"gpu.memory_used", 32.0 * 1024 * 1024}}};
  if (metric == "gpu.power") return std::max(2.0, 0.02 * value);
  const auto found =
      std::find_if(steps.begin(), steps.end(), [&](const Resolution& one) { return metric == one.metric; });
  return found == steps.end() ? 0 : found->step;
}

bool ChangeFilter::passes(const TelemetryValue& value) {
  const auto found = last_.find({value.device, value.metric});
  if (found != last_.end() &&
      std::abs(value.value - found->second) <= telemetry_resolution(value.metric, found->second))
    return false;
  note(value);
  return true;
}

void ChangeFilter::note(const TelemetryValue& value) { last_[{value.device, value.metric}] = value.value; }

Telemetry::Telemetry(std::unique_ptr<TelemetrySource> source)
    : source_(std::move(source)), started_(monotonic_seconds()) {
  const BlockedSignals blocked;
  thread_ = std::thread([this] { work(); });
}

Telemetry::~Telemetry() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void Telemetry::work() {
  std::unique_lock lock(mutex_);
  while (!stop_) {
    read(false);
    wake_.wait_for(lock, std::chrono::duration<double>(period.value), [this] { return stop_; });
  }
}

void Telemetry::mark() {
  const std::lock_guard lock(mutex_);
  read(true);
}

void Telemetry::read(bool border) {
  const double cpu_before = thread_cpu_seconds();
  keep(source_->fast(), border);
  const double now = monotonic_seconds();
  if (now - last_slow_ >= slow_period_seconds) {
    last_slow_ = now;
    keep(source_->slow(), false);
  }
  if (border) read_counters(now);
  for (std::string& text : source_->happenings()) harvest_.happenings.emplace_back(now, std::move(text));
  cpu_seconds_ += thread_cpu_seconds() - cpu_before;
}

void Telemetry::read_counters(double now) {
  if (now - last_counters_ < counters_cost_ / counters_share) return;
  keep(source_->counters(), false);
  last_counters_ = monotonic_seconds();
  counters_cost_ = last_counters_ - now;
}

void Telemetry::keep(const std::vector<TelemetryValue>& values, bool always) {
  const double now = monotonic_seconds();
  for (const TelemetryValue& value : values) {
    if (always)
      filter_.note(value);
    else if (!filter_.passes(value))
      continue;
    harvest_.rows.push_back({now, 0, value.device, value.metric, value.value});
  }
}

Telemetry::Harvest Telemetry::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(harvest_, {});
}

Telemetry::Cost Telemetry::cost() const {
  const std::lock_guard lock(mutex_);
  return {cpu_seconds_, monotonic_seconds() - started_};
}

}  // namespace assay
