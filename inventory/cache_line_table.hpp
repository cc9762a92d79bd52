#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "core/units.hpp"

namespace assay {

/// The two sides of a cache-line ping-pong (inventory/fingerprint.hpp) share one of these.
struct CacheLineTable {
  enum class Partner : int { starting, ready, failed };
  static constexpr std::size_t line = 64;  ///< bytes

  alignas(line) std::atomic<std::uint64_t> ball{0};  ///< even: the caller's turn is next, odd: the partner's
  alignas(line) std::atomic<bool> stop{false};
  std::atomic<Partner> partner{Partner::starting};
};

/// The partner's side: answers every odd value with the next even one until told to stop.
void answer_ball(CacheLineTable& table);

/// The caller's side: half a round trip, the median over chunks. NaN when the partner has not answered once by twice
/// `duration`; never takes longer than that, whatever the partner does.
[[nodiscard]] Seconds play_ball(CacheLineTable& table, Seconds duration);

}  // namespace assay
