#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/locate/observations.hpp"
#include "analysis/locate/part.hpp"

namespace assay::locate {

/// All parts that a matrix touches, each with the observations that cross it, and the other way round.
class Candidates {
 public:
  /// Cost: O(k log k) for k touches (about 8 to 14 for each observation), 16 bytes each while sorting, 12 afterwards.
  Candidates(const PairMatrix& matrix, const std::vector<Observation>& observations,
             const std::vector<std::int32_t>& leaf_of);

  [[nodiscard]] std::size_t size() const { return keys_.size(); }
  [[nodiscard]] Part part(std::size_t candidate) const { return part_of(keys_[candidate]); }
  /// Indices of observations, ascending.
  [[nodiscard]] std::span<const std::int32_t> observations(std::size_t candidate) const;
  /// Candidates that an observation touches.
  [[nodiscard]] std::span<const std::int32_t> touching(std::size_t observation) const;
  /// How many of a kind there are.
  [[nodiscard]] std::size_t count(PartKind kind) const { return counts_[static_cast<std::size_t>(kind)]; }

 private:
  std::vector<std::uint64_t> keys_;
  std::vector<std::int64_t> first_;         ///< by candidate, and one more
  std::vector<std::int32_t> observations_;  ///< by candidate
  std::vector<std::int64_t> touch_first_;   ///< by observation, and one more
  std::vector<std::int32_t> touching_;
  std::array<std::size_t, part_kinds> counts_{};
};

}  // namespace assay::locate
