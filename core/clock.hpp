#pragma once

#include <chrono>
#include <cstdint>
#include <ctime>
#include <string>

#include "core/units.hpp"

namespace assay {

/// Monotonic time of this host in seconds, for timing loops: one clock_gettime, nothing else.
[[nodiscard]] inline double monotonic_seconds() noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Source of time for plans, stop rules and deadlines; tests put their own in its place.
class Clock {
 public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual Seconds now() const = 0;
  virtual void sleep(Seconds duration) = 0;
};

class MonotonicClock final : public Clock {
 public:
  [[nodiscard]] Seconds now() const override { return Seconds(monotonic_seconds()); }
  void sleep(Seconds duration) override;
};

/// A moment on a Clock after which work has to end. Passed down, never looked up.
class Deadline {
 public:
  Deadline(const Clock& clock, Seconds from_now) : clock_(&clock), at_(clock.now() + from_now) {}

  [[nodiscard]] Seconds remaining() const { return at_ - clock_->now(); }
  [[nodiscard]] bool expired() const { return remaining().value <= 0; }
  [[nodiscard]] Seconds at() const { return at_; }

 private:
  const Clock* clock_;
  Seconds at_;
};

/// UTC as "20261130T175812Z" (for file names).
[[nodiscard]] std::string utc_stamp(std::time_t time);

}  // namespace assay
