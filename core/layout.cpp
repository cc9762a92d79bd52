#include "core/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace assay {

std::vector<int> Layout::ranks_on(int node) const {
  std::vector<int> result;
  for (int rank = 0; rank < ranks(); ++rank)
    if (node_of[static_cast<std::size_t>(rank)] == node) result.push_back(rank);
  return result;
}

Layout Layout::single_node(int ranks, int cpus) {
  return {std::vector<int>(static_cast<std::size_t>(ranks), 0), {"localhost"}, {cpus}};
}

RankSets everyone(const Layout& layout) {
  std::vector<int> all(static_cast<std::size_t>(layout.ranks()));
  std::iota(all.begin(), all.end(), 0);
  return {std::move(all)};
}

RankSets one_rank(const Layout&) { return {{0}}; }

RankSets filling_each_node(const Layout& layout) {
  RankSets sets;
  for (int node = 0; node < layout.nodes(); ++node) {
    std::vector<int> ranks = layout.ranks_on(node);
    const auto cpus = static_cast<std::size_t>(std::max(1, layout.cpus_granted[static_cast<std::size_t>(node)]));
    if (ranks.size() > cpus) ranks.resize(cpus);
    if (!ranks.empty()) sets.push_back(std::move(ranks));
  }
  return sets;
}

RankSets filling(const Layout& layout) {
  std::vector<int> all;
  for (const auto& ranks : filling_each_node(layout)) all.insert(all.end(), ranks.begin(), ranks.end());
  std::sort(all.begin(), all.end());
  return {std::move(all)};
}

RankSets pair_in_node(const Layout& layout) {
  for (int node = 0; node < layout.nodes(); ++node) {
    const std::vector<int> ranks = layout.ranks_on(node);
    if (ranks.size() >= 2) return {{ranks[0], ranks[1]}};
  }
  return {};
}

RankSets pair_across_nodes(const Layout& layout) {
  if (layout.nodes() < 2) return {};
  const int first = layout.ranks_on(0).front();
  const int second = layout.ranks_on(1).front();
  return {{std::min(first, second), std::max(first, second)}};
}

int tournament_rounds(int members) { return members < 2 ? 0 : members - 1 + members % 2; }

RankSets tournament_round(int members, int round) {
  // Circle method: one seat stays, the others rotate by one each round; with an odd number the fixed seat is empty.
  const int seats = members + members % 2;
  const auto player = [&](int seat) { return seat == 0 ? seats - 1 : (seat - 1 + round) % (seats - 1); };
  RankSets pairs;
  for (int seat = 0; seat < seats / 2; ++seat) {
    const int a = player(seat);
    const int b = player(seats - 1 - seat);
    if (a < members && b < members) pairs.push_back({std::min(a, b), std::max(a, b)});
  }
  return pairs;
}

std::string format_ranks(const std::vector<int>& ranks) {
  std::string text;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t last = i;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    if (!text.empty()) text += ',';
    text += last == i ? fmt::format("{}", ranks[i]) : fmt::format("{}-{}", ranks[i], ranks[last]);
    i = last + 1;
  }
  return text;
}

}  // namespace assay
