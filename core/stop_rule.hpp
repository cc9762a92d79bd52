#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/units.hpp"

namespace assay {

enum class StopReason { go_on, precise, time_spent, count_reached };

[[nodiscard]] std::string_view to_string(StopReason reason);

/// When a series has measured enough. Pure: decides from numbers that all ranks of the group agree on, so they stop
/// alike.
struct StopRule {
  double target_relative_width = 0.01;  ///< half width of the 95 % interval of the median / median
  std::uint64_t minimum_count = 5;
  std::uint64_t maximum_count = 1'000'000'000;  ///< per rank
  Seconds minimum_time{0.1};                    ///< sum of measured seconds: many time slices, not one
  bool by_wall = false;  ///< minimum_time counts wall seconds: the device's clock does not see what the host waits for
  Seconds maximum_time{
      1.0};  ///< measured seconds or wall seconds, whichever gets there first; never before minimum_time

  /// `group_seconds`: one agreed time per iteration so far. `spent`: the agreed wall seconds of the series so far.
  [[nodiscard]] StopReason decide(std::span<const double> group_seconds, Seconds spent) const;

  /// How many iterations to run before deciding again: doubles what was run, kept within what time and count leave;
  /// at least 1.
  [[nodiscard]] std::uint64_t next_batch(std::span<const double> group_seconds, Seconds spent) const;
};

}  // namespace assay
