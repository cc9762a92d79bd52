#include "analysis/locate/observations.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <span>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "analysis/locate/held_back.hpp"
#include "analysis/locate/robust.hpp"
#include "core/statistics.hpp"

namespace assay::locate {
namespace {

constexpr std::size_t least_rows_for_an_offset = 8;
constexpr std::int32_t least_rows_of_a_group = 3;
constexpr double least_sigma = 0.002;
constexpr double straggler_sigmas = 6;
constexpr double unknown_straggler_share = 0.01;  ///< where one epoch per row says nothing about it
constexpr double least_log_chance = -25;
constexpr std::string_view across_nodes = "across nodes";
constexpr std::size_t few_rows = 8;
constexpr double most_unlike = 0.01;  ///< of the bases of groups that are taken for one: far below what is called slow

/// Scaled median absolute deviation of n normal values from their own median, over sigma: simulated, n = 2 to 10.
double deviation_bias(std::size_t n) {
  constexpr std::array<double, 11> bias{0, 0, 0.711, 0.455, 0.726, 0.729, 0.775, 0.820, 0.831, 0.851, 0.873};
  return n < bias.size() ? bias[n] : 1 - 1.3 / static_cast<double>(n);
}

/// Sigma of the order statistic that stands for n normal values, over theirs: simulated.
double value_bias(std::size_t n) {
  constexpr std::array<double, 11> bias{1, 1, 0.831, 0.744, 0.711, 0.557, 0.528, 0.506, 0.491, 0.431, 0.420};
  return n < bias.size() ? bias[n] : 1.36 / std::sqrt(static_cast<double>(n));
}

/// How many epochs are below the one that stands for the row.
std::size_t value_place(std::size_t epochs) { return (epochs - 1) / 4; }

std::span<const Cost> costs_of(const PairMatrix& matrix, const PairRow& row) {
  return std::span(matrix.costs).subspan(static_cast<std::size_t>(row.first), static_cast<std::size_t>(row.count));
}

double row_median(std::span<const Cost> costs, std::vector<double>& scratch) {
  scratch.clear();
  for (const Cost& cost : costs) scratch.push_back(cost.log_seconds);
  return median(scratch);
}

/// Offsets that all rows of an epoch, or of a round in it, have in common.
class Offsets {
 public:
  explicit Offsets(const PairMatrix& matrix) {
    std::unordered_map<std::int64_t, std::vector<double>> of_round;
    std::unordered_map<std::int32_t, std::vector<double>> of_epoch;
    std::vector<double> scratch;
    for (const PairRow& row : matrix.rows) {
      if (row.count < 2) continue;
      const auto costs = costs_of(matrix, row);
      const double centre = row_median(costs, scratch);
      for (const Cost& cost : costs) {
        of_round[key(cost.epoch, row.round)].push_back(cost.log_seconds - centre);
        of_epoch[cost.epoch].push_back(cost.log_seconds - centre);
      }
    }
    for (const auto& [epoch, deviations] : of_epoch) {
      if (deviations.size() >= least_rows_for_an_offset) epochs_[epoch] = median(deviations);
    }
    for (const auto& [at, deviations] : of_round) {
      if (deviations.size() >= least_rows_for_an_offset) rounds_[at] = median(deviations);
    }
  }

  [[nodiscard]] double of(std::int32_t epoch, std::int32_t round) const {
    if (const auto at = rounds_.find(key(epoch, round)); at != rounds_.end()) return at->second;
    const auto at = epochs_.find(epoch);
    return at == epochs_.end() ? 0 : at->second;
  }

 private:
  static std::int64_t key(std::int32_t epoch, std::int32_t round) {
    return static_cast<std::int64_t>(epoch) << 32 | static_cast<std::uint32_t>(round);
  }

  std::unordered_map<std::int64_t, double> rounds_;
  std::unordered_map<std::int32_t, double> epochs_;
};

/// Numbers the groups in the order of their first row.
class Grouping {
 public:
  Grouping(const PairMatrix& matrix, const std::vector<std::int32_t>& leaf_of) : matrix_(matrix), leaf_of_(leaf_of) {
    const auto unknown = std::count(leaf_of.begin(), leaf_of.end(), -1);
    few_unknown_ = static_cast<double>(unknown) <= most_unknown * static_cast<double>(leaf_of.size());
  }

  std::int32_t of(const PairRow& row) {
    const Key key = key_of_row(row);
    const auto [at, is_new] = numbers_.try_emplace(key, static_cast<std::int32_t>(groups_.size()));
    if (is_new) groups_.push_back({name_of(key), 0});
    ++groups_[static_cast<std::size_t>(at->second)].count;
    return at->second;
  }

  [[nodiscard]] std::vector<Group> take() { return std::move(groups_); }

 private:
  enum class Where { single, in_node, across };
  using Key = std::tuple<Where, int, int>;  ///< same island: 1 yes, 0 no, -1 unknown; same rail likewise

  [[nodiscard]] Key key_of_row(const PairRow& row) const {
    if (row.b < 0) return {Where::single, -1, -1};
    const End& a = matrix_.ends[static_cast<std::size_t>(row.a)];
    const End& b = matrix_.ends[static_cast<std::size_t>(row.b)];
    const auto same = [](int first, int second) { return first < 0 || second < 0 ? -1 : first == second ? 1 : 0; };
    int leaf = leaf_of_.empty()
                   ? -1
                   : same(leaf_of_[static_cast<std::size_t>(row.a)], leaf_of_[static_cast<std::size_t>(row.b)]);
    // A few ends that fit nowhere are compared with the far ones rather than with each other.
    if (a.node == b.node)
      leaf = -1;
    else if (leaf < 0 && !leaf_of_.empty() && few_unknown_)
      leaf = 0;
    return {a.node == b.node ? Where::in_node : Where::across, leaf, a.node == b.node ? -1 : same(a.rail, b.rail)};
  }

  static std::string name_of(const Key& key) {
    const auto& [where, leaf, rail] = key;
    std::string name = where == Where::single    ? "each alone"
                       : where == Where::in_node ? "within nodes"
                                                 : std::string(across_nodes);
    if (leaf >= 0) name += leaf == 1 ? ", same island" : ", between islands";
    if (rail >= 0) name += rail == 1 ? ", same rail" : ", across rails";
    return name;
  }

  static constexpr double most_unknown = 0.1;

  const PairMatrix& matrix_;
  const std::vector<std::int32_t>& leaf_of_;
  bool few_unknown_ = false;
  std::map<Key, std::int32_t> numbers_;
  std::vector<Group> groups_;
};

/// Makes one group of those that turn out alike: more rows to know their noise from. Only pairs across nodes differ by
/// rail and island.
void unite_alike(Observations& observations, double sigma) {
  std::vector<std::vector<double>> values(observations.groups.size());
  for (const Observation& one : observations.all) values[static_cast<std::size_t>(one.group)].push_back(one.value);
  std::vector<std::pair<double, std::int32_t>> order;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool across = observations.groups[i].name.starts_with(across_nodes);
    if (across && !values[i].empty())
      order.emplace_back(fastest_group(values[i], 4 * sigma), static_cast<std::int32_t>(i));
  }
  std::sort(order.begin(), order.end());
  std::vector<std::int32_t> becomes(observations.groups.size());
  std::iota(becomes.begin(), becomes.end(), 0);
  for (std::size_t i = 1; i < order.size(); ++i) {
    const std::size_t fewer = std::min(values[static_cast<std::size_t>(order[i].second)].size(),
                                       values[static_cast<std::size_t>(order[i - 1].second)].size());
    const double least = fewer < few_rows ? most_unlike : most_unlike / 2;  // few rows know their base badly
    if (order[i].first - order[i - 1].first > std::clamp(1.5 * sigma, least, most_unlike)) continue;
    const std::int32_t into = becomes[static_cast<std::size_t>(order[i - 1].second)];
    Group& target = observations.groups[static_cast<std::size_t>(into)];
    Group& source = observations.groups[static_cast<std::size_t>(order[i].second)];
    target.count += std::exchange(source.count, 0);
    target.name += "; " + source.name.substr(std::min(source.name.size(), across_nodes.size() + 2));
    becomes[static_cast<std::size_t>(order[i].second)] = into;
  }
  for (Observation& one : observations.all) one.group = becomes[static_cast<std::size_t>(one.group)];
}

/// Noise of single epochs, from the rows that have several.
struct Within {
  double sigma = 0;
  double disturbed_share = unknown_straggler_share;
};

Within within_noise(const std::vector<double>& deviations, std::size_t epochs) {
  if (deviations.empty()) return {};
  std::vector<double> sizes;
  sizes.reserve(deviations.size());
  for (const double deviation : deviations) sizes.push_back(std::abs(deviation));
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  Within within;
  within.sigma = *middle * 1.4826 / deviation_bias(epochs);
  const double far = straggler_sigmas * within.sigma;
  const auto slow = std::count_if(deviations.begin(), deviations.end(), [&](double d) { return d > far; });
  within.disturbed_share = (static_cast<double>(slow) + 1) / (static_cast<double>(deviations.size()) + 2);
  return within;
}

/// How likely so many disturbed epochs are as make a pair's value a disturbed one.
void note_chances(const PairMatrix& matrix, double disturbed_share, std::vector<Observation>& observations) {
  std::map<int, double> chances;
  for (Observation& observation : observations) {
    const int epochs = matrix.rows[static_cast<std::size_t>(observation.row)].count;
    const auto [at, is_new] = chances.try_emplace(epochs, 0);
    if (is_new) {
      const int slow = epochs - static_cast<int>(value_place(static_cast<std::size_t>(epochs)));
      at->second = std::max(least_log_chance, log_binomial_tail(epochs, slow, disturbed_share));
    }
    observation.log_chance = at->second;
  }
}

}  // namespace

Observations observe(const PairMatrix& matrix, const std::vector<std::int32_t>& leaf_of) {
  const Offsets offsets(matrix);
  Grouping grouping(matrix, leaf_of);
  Observations result;
  std::vector<double> deviations, scratch;
  std::size_t most_epochs = 1;
  for (std::size_t i = 0; i < matrix.rows.size(); ++i) {
    const PairRow& row = matrix.rows[i];
    if (row.count < 1) continue;
    scratch.clear();
    for (const Cost& cost : costs_of(matrix, row))
      scratch.push_back(cost.log_seconds - offsets.of(cost.epoch, row.round));
    std::sort(scratch.begin(), scratch.end());
    const double centre = median(scratch);
    if (scratch.size() > 1) {
      for (const double value : scratch) deviations.push_back(value - centre);
    }
    most_epochs = std::max(most_epochs, scratch.size());
    result.all.push_back({static_cast<std::int32_t>(i), grouping.of(row), scratch[value_place(scratch.size())], 0});
  }
  const Within within = within_noise(deviations, most_epochs);
  result.within_sigma = within.sigma;
  result.disturbed_share = within.disturbed_share;
  result.value_sigma = within.sigma * value_bias(most_epochs);
  note_chances(matrix, within.disturbed_share, result.all);
  result.groups = grouping.take();
  if (!leaf_of.empty() && matrix.composition == Composition::bottleneck) {
    set_held_back_apart(matrix, leaf_of, result);
  }
  unite_alike(result, std::max(result.value_sigma, least_sigma));
  std::erase_if(result.all, [&](const Observation& observation) {
    return result.groups[static_cast<std::size_t>(observation.group)].count < least_rows_of_a_group;
  });
  return result;
}

}  // namespace assay::locate
