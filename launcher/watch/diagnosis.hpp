#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/units.hpp"
#include "launcher/watch/phase_board.hpp"

namespace assay {

/// What rank 0 knows of a rank from its last beat.
struct RankState {
  std::int32_t rank = 0;
  std::string host;
  Phase phase;            ///< deadline_at is not used: clocks differ between hosts
  Seconds remaining{0};   ///< until the rank's own deadline, at this moment; infinite = none
  Seconds silent_for{0};  ///< since its last beat
};

/// Beats come four times a second; after this long without one a rank counts as silent.
inline constexpr Seconds silence_limit{2.0};

/// Has a deadline passed? A rank's own one, or nothing heard from a rank for `deadline`.
[[nodiscard]] bool deadline_passed(const std::vector<RankState>& states, Seconds deadline);

/// Ranks that keep the others waiting: silent ones; else those in an earlier phase than the furthest; else, within one
/// set, those with fewer iterations begun. Empty when all are at the same place.
[[nodiscard]] std::vector<RankState> not_arrived(const std::vector<RankState>& states);

/// The report: case, point, phase, and who did not arrive, with host and last known place.
[[nodiscard]] std::string describe_stall(const std::vector<RankState>& states, Seconds deadline);

}  // namespace assay
