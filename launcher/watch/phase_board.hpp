#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <mutex>
#include <string>

#include "core/clock.hpp"

namespace assay {

/// Where a rank is inside a series; later phases have larger values, so that ranks can be compared.
enum class PhaseKind : std::uint32_t { idle, set_up, warm_up, measure, verify, wait, record, finish };

[[nodiscard]] std::string_view to_string(PhaseKind kind);

struct Phase {
  std::uint64_t series = 0;  ///< running number of the series, counted alike on all ranks
  PhaseKind kind = PhaseKind::idle;
  std::int32_t set = -1;        ///< which of the series' disjoint sets this rank works in; -1 = none
  std::uint64_t iteration = 0;  ///< timed iterations begun in this series
  std::string what;             ///< "mpi.all_reduce/bytes:8, epoch 2"
  /// Monotonic seconds of this host; infinite = no deadline of its own.
  double deadline_at = std::numeric_limits<double>::infinity();
};

/// What the main thread of a rank is doing, for its watchdog thread to read.
class PhaseBoard {
 public:
  explicit PhaseBoard(const Clock& clock) : clock_(clock) {}

  /// A new series begins: its number and name hold until the next one.
  void begin_series(std::uint64_t number, std::string what, std::int32_t set);
  /// `allowed` = 0: no deadline of its own.
  void enter(PhaseKind kind, Seconds allowed);
  /// Called in the timing loop: one relaxed store.
  void iteration(std::uint64_t number) noexcept { iteration_.store(number, std::memory_order_relaxed); }

  [[nodiscard]] Phase read() const;

 private:
  const Clock& clock_;
  mutable std::mutex mutex_;
  Phase phase_;
  std::atomic<std::uint64_t> iteration_{0};
};

}  // namespace assay
