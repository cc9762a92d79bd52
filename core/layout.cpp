#include "core/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

namespace assay {

std::vector<int> Layout::ranks_on(int node) const {
  std::vector<int> result;
  for (int rank = 0; rank < ranks(); ++rank)
    if (node_of[static_cast<std::size_t>(rank)] == node) result.push_back(rank);
  return result;
}

bool Layout::has_gpu(int rank) const {
  const auto index = static_cast<std::size_t>(rank);
  return index < gpu_of.size() && gpu_of[index] >= 0;
}

Layout Layout::single_node(int ranks, int cpus) {
  Layout layout;
  layout.node_of.assign(static_cast<std::size_t>(ranks), 0);
  layout.node_names = {"localhost"};
  layout.cpus_granted = {cpus};
  return layout;
}

Layout Layout::with_gpus(int nodes, int ranks_per_node) {
  constexpr int newest = 120;
  constexpr std::int64_t roomy = std::int64_t{1} << 40;
  Layout layout;
  for (int node = 0; node < nodes; ++node) {
    layout.node_names.push_back(fmt::format("node{}", node + 1));
    layout.cpus_granted.push_back(ranks_per_node);
    layout.gpus_found.push_back(ranks_per_node);
    for (int gpu = 0; gpu < ranks_per_node; ++gpu) {
      layout.node_of.push_back(node);
      layout.gpu_of.push_back(gpu);
    }
  }
  constexpr int nccl_version = 22809;
  layout.gpu = {newest, roomy, true, true, nccl_version};
  return layout;
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

RankSets gpu_ranks_each_node(const Layout& layout) {
  RankSets sets;
  for (int node = 0; node < layout.nodes(); ++node) {
    std::vector<int> ranks = layout.ranks_on(node);
    std::erase_if(ranks, [&](int rank) { return !layout.has_gpu(rank); });
    if (!ranks.empty()) sets.push_back(std::move(ranks));
  }
  return sets;
}

RankSets gpu_ranks(const Layout& layout) {
  std::vector<int> all;
  for (int rank = 0; rank < layout.ranks(); ++rank)
    if (layout.has_gpu(rank)) all.push_back(rank);
  return all.empty() ? RankSets{} : RankSets{std::move(all)};
}

RankSets gpu_rank_alone(const Layout& layout, int gpu) {
  RankSets sets;
  for (const auto& ranks : gpu_ranks_each_node(layout)) {
    const auto found = std::find_if(ranks.begin(), ranks.end(),
                                    [&](int rank) { return layout.gpu_of[static_cast<std::size_t>(rank)] == gpu; });
    if (found != ranks.end()) sets.push_back({*found});
  }
  return sets;
}

RankSets gpu_rails(const Layout& layout) {
  std::map<int, std::vector<int>> rails;
  for (int rank = 0; rank < layout.ranks(); ++rank)
    if (layout.has_gpu(rank)) rails[layout.gpu_of[static_cast<std::size_t>(rank)]].push_back(rank);
  RankSets sets;
  for (auto& [gpu, ranks] : rails) sets.push_back(std::move(ranks));
  return sets;
}

int gpus_on_fullest_node(const Layout& layout) {
  std::size_t most = 0;
  for (const auto& ranks : gpu_ranks_each_node(layout)) most = std::max(most, ranks.size());
  return static_cast<int>(most);
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
