#include "core/pair_schedule.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include "core/error.hpp"
#include "core/layout.hpp"
#include "core/random.hpp"

namespace assay {
namespace {

using Matching = std::vector<std::pair<int, int>>;  ///< of nodes

/// One round: a matching of the nodes, and by how much the units are turned against each other.
struct Turn {
  int matching = 0;
  int shift = 0;
};

/// Makes the matchings of one scope; they are numbered from 0 and cost O(nodes) each.
class Matchings {
 public:
  explicit Matchings(const PairPlan& plan) : scope_(plan.scope) {
    const bool by_leaf = plan.scope != PairScope::everywhere;
    if (by_leaf && plan.leaf_of.size() != plan.units_on_node.size()) {
      throw bad_input("pairs within or across leaves need the leaf of every node", "measure the latencies first");
    }
    std::map<int, std::vector<int>> groups;
    for (std::size_t node = 0; node < plan.units_on_node.size(); ++node) {
      if (plan.units_on_node[node] > 0) groups[by_leaf ? plan.leaf_of[node] : 0].push_back(static_cast<int>(node));
    }
    Random random(mix(plan.seed, 1));
    for (auto& [leaf, nodes] : groups) {
      random.shuffle(nodes);
      largest_ = std::max(largest_, static_cast<int>(nodes.size()));
      groups_.push_back(std::move(nodes));
    }
    random.shuffle(groups_);
  }

  [[nodiscard]] int count() const {
    if (scope_ != PairScope::cross_leaf) return tournament_rounds(largest_);
    return tournament_rounds(static_cast<int>(groups_.size())) * largest_;
  }

  [[nodiscard]] Matching at(int number) const {
    return scope_ == PairScope::cross_leaf ? across(number) : within(number);
  }

 private:
  [[nodiscard]] Matching within(int number) const {
    Matching matching;
    for (const auto& nodes : groups_) {
      const int size = static_cast<int>(nodes.size());
      if (number >= tournament_rounds(size)) continue;
      for (const auto& pair : tournament_round(size, number)) {
        matching.emplace_back(nodes[static_cast<std::size_t>(pair[0])], nodes[static_cast<std::size_t>(pair[1])]);
      }
    }
    return matching;
  }

  [[nodiscard]] Matching across(int number) const {
    const int leaves = static_cast<int>(groups_.size());
    const int leaf_rounds = tournament_rounds(leaves);
    const auto turn = static_cast<std::size_t>(number / leaf_rounds);
    Matching matching;
    for (const auto& pair : tournament_round(leaves, number % leaf_rounds)) {
      const auto* large = &groups_[static_cast<std::size_t>(pair[0])];
      const auto* small = &groups_[static_cast<std::size_t>(pair[1])];
      if (large->size() < small->size()) std::swap(large, small);
      if (turn >= large->size()) continue;
      for (std::size_t i = 0; i < small->size(); ++i) {
        matching.emplace_back((*large)[(i + turn) % large->size()], (*small)[i]);
      }
    }
    return matching;
  }

  PairScope scope_;
  std::vector<std::vector<int>> groups_;
  int largest_ = 0;
};

void add_unit_pairs(UnitPairs& pairs, const PairPlan& plan, int a, int b, int shift) {
  const auto units = [&](int node) { return plan.units_on_node[static_cast<std::size_t>(node)]; };
  const int turn_length = std::max(units(a), units(b));
  if (shift >= turn_length) return;  // would repeat an earlier shift
  if (a > b) std::swap(a, b);
  for (int unit = 0; unit < units(a); ++unit) {
    const int other = (unit + shift) % turn_length;
    if (other < units(b)) pairs.push_back({{a, unit}, {b, other}});
  }
}

/// The shift of a matching in the given pass over all matchings: in the first pass mostly equal rails, where units can
/// be told apart by that; over all passes each matching meets each shift once.
int shift_of(int matching, int pass, int shifts, bool even_nodes) {
  if (shifts < 2) return 0;
  const bool equal_rails = even_nodes && matching % 4 != 3;
  const int first = !even_nodes ? matching % shifts : equal_rails ? 0 : 1 + matching / 4 % (shifts - 1);
  return (first + pass) % shifts;
}

/// Different matchings come before any is repeated with another shift.
std::vector<Turn> make_turns(const PairPlan& plan, int matchings) {
  int shifts = 0;
  int fewest = std::numeric_limits<int>::max();
  for (const int units : plan.units_on_node) {
    if (units < 1) continue;
    shifts = std::max(shifts, units);
    fewest = std::min(fewest, units);
  }
  std::vector<int> order(static_cast<std::size_t>(matchings));
  std::iota(order.begin(), order.end(), 0);
  Random random(mix(plan.seed, 2));
  if (plan.scope != PairScope::cross_leaf) random.shuffle(order);  // there the order meets all pairs of leaves early
  const int all = matchings * shifts;
  const int rounds = plan.most_rounds > 0 ? std::min(plan.most_rounds, all) : all;
  std::vector<Turn> turns;
  for (int i = 0; i < rounds; ++i) {
    const int place = i % matchings;
    turns.push_back({order[static_cast<std::size_t>(place)], shift_of(place, i / matchings, shifts, fewest == shifts)});
  }
  return turns;
}

/// Units that take part, numbered over all nodes.
class UnitNumbers {
 public:
  explicit UnitNumbers(const std::vector<int>& units_on_node) {
    for (const int units : units_on_node) {
      first_.push_back(count_);
      count_ += static_cast<std::size_t>(std::max(0, units));
    }
  }
  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] std::size_t of(const UnitEnd& end) const {
    return first_[static_cast<std::size_t>(end.node)] + static_cast<std::size_t>(end.unit);
  }

 private:
  std::vector<std::size_t> first_;
  std::size_t count_ = 0;
};

int least_peers(std::vector<std::pair<std::size_t, std::size_t>> meetings, std::size_t units) {
  std::sort(meetings.begin(), meetings.end());
  meetings.erase(std::unique(meetings.begin(), meetings.end()), meetings.end());
  std::vector<int> peers(units);
  for (const auto& [unit, peer] : meetings) ++peers[unit];
  return peers.empty() ? 0 : *std::min_element(peers.begin(), peers.end());
}

}  // namespace

std::vector<UnitPairs> pair_rounds(const PairPlan& plan) {
  const Matchings matchings(plan);
  std::vector<UnitPairs> rounds;
  for (const Turn& turn : make_turns(plan, matchings.count())) {
    UnitPairs pairs;
    for (const auto& [a, b] : matchings.at(turn.matching)) add_unit_pairs(pairs, plan, a, b, turn.shift);
    if (!pairs.empty()) rounds.push_back(std::move(pairs));
  }
  return rounds;
}

std::vector<UnitPairs> pair_rounds_in_nodes(const std::vector<int>& units_on_node) {
  std::vector<UnitPairs> rounds;
  const int fullest = units_on_node.empty() ? 0 : *std::max_element(units_on_node.begin(), units_on_node.end());
  for (int round = 0; round < tournament_rounds(fullest); ++round) {
    UnitPairs pairs;
    for (std::size_t node = 0; node < units_on_node.size(); ++node) {
      if (round >= tournament_rounds(units_on_node[node])) continue;
      for (const auto& pair : tournament_round(units_on_node[node], round)) {
        pairs.push_back({{static_cast<int>(node), pair[0]}, {static_cast<int>(node), pair[1]}});
      }
    }
    rounds.push_back(std::move(pairs));
  }
  return rounds;
}

PairCoverage coverage_of(const std::vector<UnitPairs>& rounds, const std::vector<int>& units_on_node,
                         const std::vector<int>& leaf_of) {
  const UnitNumbers numbers(units_on_node);
  std::vector<int> per_unit(numbers.count());
  std::vector<std::pair<std::size_t, std::size_t>> meetings;
  std::set<std::pair<int, int>> met;
  PairCoverage coverage{.rounds = static_cast<int>(rounds.size())};
  for (const UnitPairs& round : rounds) {
    for (const auto& [a, b] : round) {
      ++coverage.pairs;
      const auto first = numbers.of(a);
      const auto second = numbers.of(b);
      ++per_unit[first];
      ++per_unit[second];
      meetings.emplace_back(first, second);
      meetings.emplace_back(second, first);
      if (leaf_of.empty()) continue;
      const auto leaves =
          std::minmax(leaf_of[static_cast<std::size_t>(a.node)], leaf_of[static_cast<std::size_t>(b.node)]);
      if (leaves.first != leaves.second) met.insert(leaves);
    }
  }
  if (!per_unit.empty()) coverage.least_per_unit = *std::min_element(per_unit.begin(), per_unit.end());
  coverage.least_peers_per_unit = least_peers(std::move(meetings), numbers.count());
  const auto leaves = static_cast<std::int64_t>(std::set<int>(leaf_of.begin(), leaf_of.end()).size());
  coverage.leaf_pairs = leaves * (leaves - 1) / 2;
  coverage.leaf_pairs_met = static_cast<std::int64_t>(met.size());
  return coverage;
}

}  // namespace assay
