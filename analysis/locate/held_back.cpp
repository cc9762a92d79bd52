#include "analysis/locate/held_back.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "analysis/locate/robust.hpp"
#include "core/statistics.hpp"

namespace assay::locate {
namespace {

/// A row that crosses islands.
struct Crossing {
  std::size_t observation = 0;
  std::int32_t round = 0;
  std::int32_t leaf_a = 0;
  std::int32_t leaf_b = 0;
};

/// Tells shared uplinks from slow ones.
class HeldBack {
 public:
  HeldBack(const PairMatrix& matrix, const std::vector<std::int32_t>& leaf_of, Observations& observations)
      : observations_(observations) {
    std::vector<double> inside;
    for (std::size_t i = 0; i < observations.all.size(); ++i) {
      const PairRow& row = matrix.rows[static_cast<std::size_t>(observations.all[i].row)];
      if (row.b < 0 || matrix.same_node(row)) continue;
      const auto a = leaf_of[static_cast<std::size_t>(row.a)];
      const auto b = leaf_of[static_cast<std::size_t>(row.b)];
      if (a < 0 || b < 0) continue;
      if (a == b) {
        inside.push_back(observations.all[i].value);
      } else {
        crossings_.push_back({i, row.round, a, b});
      }
    }
    if (inside.size() >= least_rows) base_ = densest_centre(inside, 0.5);
  }

  void set_apart() {
    if (std::isnan(base_) || !shared()) return;
    const auto group = static_cast<std::int32_t>(observations_.groups.size());
    observations_.groups.push_back({"between islands, held back by shared uplinks", 0});
    const Cells all = cells({});
    for (const Crossing& crossing : crossings_) {
      const bool held = is_slow(all, crossing.leaf_a, crossing.round) || is_slow(all, crossing.leaf_b, crossing.round);
      if (held) move(observations_.all[crossing.observation], group);
    }
    std::erase_if(observations_.all, [&](const Observation& observation) { return observation.group == group; });
  }

 private:
  /// By island and round: what the faster of the rows that leave it cost.
  using Cells = std::map<std::int32_t, std::map<std::int32_t, double>>;
  static constexpr std::size_t least_rows = 4;
  static constexpr double least_hold = 0.015;             ///< ln cost above what pairs within islands cost
  static constexpr double least_hold_once_shared = 0.01;  ///< once sharing is known to happen
  static constexpr double fast_share = 0.2;  ///< of a crossing's rows; those to a slow island are not among them

  [[nodiscard]] Cells cells(const std::set<std::int32_t>& without) const {
    std::map<std::int32_t, std::map<std::int32_t, std::vector<double>>> values;
    for (const Crossing& crossing : crossings_) {
      if (without.count(crossing.leaf_a) + without.count(crossing.leaf_b) > 0) continue;
      for (const auto leaf : {crossing.leaf_a, crossing.leaf_b}) {
        values[leaf][crossing.round].push_back(observations_.all[crossing.observation].value);
      }
    }
    Cells cells;
    for (const auto& [leaf, rounds] : values) {
      for (const auto& [round, of_round] : rounds) {
        if (of_round.size() >= least_rows) cells[leaf][round] = quantile(of_round, fast_share);
      }
    }
    return cells;
  }

  [[nodiscard]] bool is_slow(const Cells& cells, std::int32_t leaf, std::int32_t round) const {
    const auto rounds = cells.find(leaf);
    if (rounds == cells.end()) return false;
    const auto cell = rounds->second.find(round);
    return cell != rounds->second.end() && cell->second > base_ + least_hold_once_shared;
  }

  /// Share of an island's rounds in which its uplinks are slow.
  [[nodiscard]] std::map<std::int32_t, double> slow_shares(const Cells& cells) const {
    std::map<std::int32_t, double> shares;
    for (const auto& [leaf, rounds] : cells) {
      const auto slow = std::count_if(rounds.begin(), rounds.end(),
                                      [&](const auto& cell) { return cell.second > base_ + least_hold; });
      shares[leaf] = static_cast<double>(slow) / static_cast<double>(rounds.size());
    }
    return shares;
  }

  /// Sharing shows on most islands, or in some rounds and not in others.
  [[nodiscard]] bool shared() const {
    const auto shares = slow_shares(cells({}));
    std::set<std::int32_t> always;
    for (const auto& [leaf, share] : shares) {
      if (share > 0.9) always.insert(leaf);
    }
    if (!always.empty() && 2 * always.size() >= shares.size()) return true;
    const auto others = slow_shares(cells(always));
    return std::any_of(others.begin(), others.end(), [](const auto& entry) { return entry.second > 0.02; });
  }

  void move(Observation& observation, std::int32_t group) {
    if (observation.group == group) return;
    --observations_.groups[static_cast<std::size_t>(observation.group)].count;
    ++observations_.groups[static_cast<std::size_t>(group)].count;
    observation.group = group;
  }

  Observations& observations_;
  std::vector<Crossing> crossings_;
  double base_ = std::numeric_limits<double>::quiet_NaN();
};

}  // namespace

void set_held_back_apart(const PairMatrix& matrix, const std::vector<std::int32_t>& leaf_of,
                         Observations& observations) {
  HeldBack(matrix, leaf_of, observations).set_apart();
}

}  // namespace assay::locate
