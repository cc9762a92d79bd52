#include "analysis/pair_effects.hpp"

#include <algorithm>
#include <map>

#include "core/statistics.hpp"

namespace assay {
namespace {

constexpr double least_slow_pairs = 0.75;
constexpr int least_pairs = 2;

std::vector<PairFigure> slowest_of_each(const std::vector<PairFigure>& figures) {
  std::map<std::pair<int, int>, double> slowest;
  for (const PairFigure& figure : figures) {
    const auto [at, is_new] = slowest.try_emplace(std::minmax({figure.a, figure.b}), figure.value);
    if (!is_new) at->second = std::min(at->second, figure.value);
  }
  std::vector<PairFigure> pairs;
  for (const auto& [members, value] : slowest) pairs.push_back({members.first, members.second, value});
  return pairs;
}

double median_of(const std::vector<PairFigure>& pairs, std::optional<int> member = std::nullopt) {
  std::vector<double> values;
  for (const PairFigure& pair : pairs) {
    if (!member || pair.a == *member || pair.b == *member) values.push_back(pair.value);
  }
  return median(values);
}

/// The member that most of its pairs are slow with; among equals the slowest.
std::optional<SlowMember> worst_member(const std::vector<PairFigure>& pairs, double limit, double typical) {
  std::map<int, SlowMember> members;
  for (const PairFigure& pair : pairs) {
    for (const int member : {pair.a, pair.b}) {
      SlowMember& entry = members[member];
      entry.member = member;
      ++entry.pairs;
      entry.slow += pair.value < limit ? 1 : 0;
    }
  }
  std::optional<SlowMember> worst;
  for (auto& [member, entry] : members) {
    const double slow = static_cast<double>(entry.slow) / entry.pairs;
    if (entry.slow < least_pairs || slow < least_slow_pairs) continue;
    entry.share = median_of(pairs, member) / typical;
    const double best = worst ? static_cast<double>(worst->slow) / worst->pairs : 0;
    if (!worst || slow > best || (slow == best && entry.share < worst->share)) worst = entry;
  }
  return worst;
}

}  // namespace

PairDiagnosis diagnose_pairs(const std::vector<PairFigure>& figures, double slow_share) {
  std::vector<PairFigure> pairs = slowest_of_each(figures);
  PairDiagnosis diagnosis;
  diagnosis.typical = median_of(pairs);
  const double limit = slow_share * diagnosis.typical;
  while (const auto worst = worst_member(pairs, limit, diagnosis.typical)) {
    diagnosis.members.push_back(*worst);
    std::erase_if(pairs, [&](const PairFigure& pair) { return pair.a == worst->member || pair.b == worst->member; });
  }
  for (const PairFigure& pair : pairs) {
    if (pair.value < limit) diagnosis.links.push_back(pair);
  }
  return diagnosis;
}

}  // namespace assay
