#include "analysis/locate/oversubscription.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <span>

#include "analysis/locate/robust.hpp"

namespace assay::locate {
namespace {

constexpr std::size_t least_rows = 3;  ///< within islands, and of an island in a round
constexpr double full_share = 0.97;    ///< of full rate: what lies below is held back
constexpr double far_end_free = 0.9;   ///< quantile of the sums at which no far end is in the way

/// What an island sends out in one round.
struct Sum {
  double rates = 0;  ///< in units of full rate
  std::size_t rows = 0;
  [[nodiscard]] bool held_back() const { return rates < full_share * static_cast<double>(rows); }
};

/// The rows of a matrix, sorted by whether they leave their island.
class Crossings {
 public:
  Crossings(const PairMatrix& matrix, const std::vector<std::int32_t>& leaf_of) {
    std::vector<double> inside;
    std::vector<std::pair<const PairRow*, double>> rows;
    std::vector<double> scratch;
    for (const PairRow& row : matrix.rows) {
      if (row.b < 0 || row.count < 1 || matrix.same_node(row)) continue;
      const auto a = leaf_of[static_cast<std::size_t>(row.a)];
      const auto b = leaf_of[static_cast<std::size_t>(row.b)];
      if (a < 0 || b < 0) continue;
      scratch.clear();
      for (std::int32_t i = 0; i < row.count; ++i) {
        scratch.push_back(matrix.costs[static_cast<std::size_t>(row.first + i)].log_seconds);
      }
      const double cost = median(scratch);
      if (a == b) inside.push_back(cost);
      rows.emplace_back(&row, cost);
      ends_[a].insert(row.a);
      ends_[b].insert(row.b);
    }
    if (inside.size() < least_rows) return;
    const double full = densest_centre(inside, 0.5);
    for (const auto& [row, cost] : rows) add(*row, std::min(1.0, std::exp(full - cost)), leaf_of);
  }

  [[nodiscard]] const std::map<std::int32_t, std::map<std::int32_t, Sum>>& by_leaf() const { return sums_; }
  [[nodiscard]] const std::map<std::int32_t, Sum>& rounds() const { return rounds_; }
  [[nodiscard]] double ends(std::int32_t leaf) const { return static_cast<double>(ends_.at(leaf).size()); }

 private:
  void add(const PairRow& row, double rate, const std::vector<std::int32_t>& leaf_of) {
    Sum& round = rounds_[row.round];
    round.rates += rate;
    ++round.rows;
    const auto a = leaf_of[static_cast<std::size_t>(row.a)];
    const auto b = leaf_of[static_cast<std::size_t>(row.b)];
    if (a == b) return;
    for (const auto leaf : {a, b}) {
      Sum& sum = sums_[leaf][row.round];
      sum.rates += rate;
      ++sum.rows;
    }
  }

  std::map<std::int32_t, std::set<std::int32_t>> ends_;       ///< that take part, by island
  std::map<std::int32_t, std::map<std::int32_t, Sum>> sums_;  ///< by island and round
  std::map<std::int32_t, Sum> rounds_;                        ///< all rows of a round
};

/// The ratios of all islands, or the range over rounds where there is only one.
void fill_ratio(Oversubscription& result, const Crossings& crossings) {
  std::vector<double> ratios, bounds, of_rounds;
  for (const auto& [leaf, rounds] : crossings.by_leaf()) {
    std::vector<double> full;
    double largest = 0;
    for (const auto& [round, sum] : rounds) {
      if (sum.rows < least_rows) continue;
      largest = std::max(largest, sum.rates);
      if (sum.held_back()) full.push_back(sum.rates);
    }
    if (largest > 0) bounds.push_back(crossings.ends(leaf) / largest);
    if (full.empty()) continue;
    result.full_uplinks += static_cast<int>(full.size());
    ratios.push_back(crossings.ends(leaf) / quantile(full, far_end_free));
    for (const double rates : full) of_rounds.push_back(crossings.ends(leaf) / rates);
  }
  result.islands = static_cast<int>(bounds.size());
  // Single rows that a fault slows do not make an uplink full in most places.
  result.only_bound = 2 * ratios.size() < bounds.size() || ratios.empty();
  const std::vector<double>& used = result.only_bound ? bounds : ratios;
  if (used.empty()) return;
  result.ratio = std::max(1.0, median(used));
  result.interval = median_interval(used.size() > 1 || of_rounds.empty() ? used : of_rounds);
  result.interval.low = std::max(1.0, result.only_bound ? 1.0 : result.interval.low);
  result.interval.high = std::max(result.interval.high, result.ratio);
}

}  // namespace

std::optional<Oversubscription> oversubscription_of(const PairMatrix& matrix,
                                                    const std::vector<std::int32_t>& leaf_of) {
  if (leaf_of.empty() || matrix.composition != Composition::bottleneck || !matrix.pairs()) return std::nullopt;
  const Crossings crossings(matrix, leaf_of);
  if (crossings.by_leaf().size() < 2) return std::nullopt;
  Oversubscription result;
  result.matrix = matrix.name;
  fill_ratio(result, crossings);
  if (result.islands == 0) return std::nullopt;
  std::vector<double> shares;
  for (const auto& [round, sum] : crossings.rounds()) shares.push_back(sum.rates / static_cast<double>(sum.rows));
  result.together = median(shares);
  result.together_interval = median_interval(shares);
  result.sentence =
      result.only_bound
          ? fmt::format("no uplink between the {} islands was ever full: oversubscription is at most {:.2f}:1",
                        result.islands, result.ratio)
          : fmt::format("the ways out of the {} islands carry 1/{:.2f} of what their ends can send ({:.2f} to {:.2f})",
                        result.islands, result.ratio, result.interval.low, result.interval.high);
  result.sentence += fmt::format("; all pairs at once reach {:.0f} % of full rate", 100 * result.together);
  return result;
}

}  // namespace assay::locate
