#include "collectives/nccl/axes.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace assay::nccl {

namespace {

constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;
constexpr int largest_power = 33;
constexpr double memory_share = 0.4;
constexpr std::uint64_t least_pinned_bytes = 16 * mebibyte;
constexpr int rounds_of_small_suites = 8;

RankSets at_least_two(RankSets sets) {
  std::erase_if(sets, [](const std::vector<int>& set) { return set.size() < 2; });
  return sets;
}

/// Halves of the nodes with GPUs, or of the GPUs of the only one.
RankSets halves(const Layout& layout) {
  const RankSets nodes = gpu_ranks_each_node(layout);
  RankSets sets(2);
  if (nodes.size() == 1) {
    const auto middle = nodes[0].begin() + static_cast<std::ptrdiff_t>(nodes[0].size() / 2);
    sets = {{nodes[0].begin(), middle}, {middle, nodes[0].end()}};
  }
  for (std::size_t node = 0; nodes.size() > 1 && node < nodes.size(); ++node) {
    auto& half = sets[node < nodes.size() / 2 ? 0 : 1];
    half.insert(half.end(), nodes[node].begin(), nodes[node].end());
  }
  for (auto& set : sets) std::ranges::sort(set);
  return sets;
}

RankSets node_pairs(const Layout& layout) {
  const RankSets nodes = gpu_ranks_each_node(layout);
  RankSets sets;
  for (std::size_t node = 0; node + 1 < nodes.size(); node += 2) {
    std::vector<int> pair = nodes[node];
    pair.insert(pair.end(), nodes[node + 1].begin(), nodes[node + 1].end());
    std::ranges::sort(pair);
    sets.push_back(std::move(pair));
  }
  return sets;
}

/// The ranks of two nodes whose GPU number is on both: those of the first, then those of the second, alike ordered.
std::vector<int> partners(const Layout& layout, const std::vector<int>& first, const std::vector<int>& second) {
  const auto number = [&](int rank) { return layout.gpu_of[static_cast<std::size_t>(rank)]; };
  std::vector<int> result;
  for (const auto& [own, other] : {std::pair(&first, &second), std::pair(&second, &first)}) {
    for (const int rank : *own) {
      if (std::ranges::any_of(*other, [&](int theirs) { return number(theirs) == number(rank); }))
        result.push_back(rank);
    }
  }
  std::ranges::sort(result);
  return result;
}

int rounds_of(const Layout& layout, std::string_view level) {
  if (level == "gpu") return tournament_rounds(gpus_on_fullest_node(layout));
  return tournament_rounds(static_cast<int>(gpu_ranks_each_node(layout).size()));
}

bool is_default(const Point& point, std::string_view axis, std::string_view value) {
  return !point.has(axis) || point.get(axis) == value;
}

}  // namespace

std::vector<Size> sweep_sizes() {
  std::vector<Size> sizes;
  for (int power = 3; power <= largest_power; ++power) {
    const bool quick = power == 20 || power == 30;
    const bool standard = power == 3 || power == largest_power || (power >= 6 && power % 2 == 0);
    sizes.push_back({std::uint64_t{1} << power, quick ? Suite::quick : standard ? Suite::standard : Suite::full});
  }
  return sizes;
}

std::vector<Size> single_sizes() {
  std::vector<Size> sizes{{8, Suite::standard}};
  for (int power = 20; power <= largest_power; ++power) {
    const bool standard = power == 20 || power == 30 || power == largest_power;
    sizes.push_back({std::uint64_t{1} << power, power == 28 ? Suite::quick : standard ? Suite::standard : Suite::full});
  }
  return sizes;
}

Axis bytes_axis(const Layout& layout, const std::vector<Size>& sizes) {
  const double most = memory_share / 2 * static_cast<double>(layout.gpu.memory_bytes);
  Axis axis{"bytes", {}};
  bool large = false;
  for (const Size& size : sizes) {
    if (static_cast<double>(size.bytes) > most && size.bytes > mebibyte) continue;
    axis.values.push_back({std::to_string(size.bytes), size.from});
    large = large || (size.from == Suite::quick && size.bytes > mebibyte);
  }
  if (!large && !axis.values.empty()) axis.values.back().from = Suite::quick;
  return axis;
}

Axis dtype_axis(const Layout& layout) {
  constexpr int hopper = 90;
  constexpr int first_with_f8 = 22400;
  Axis axis{"dtype", {{"f32"}, {"bf16", Suite::standard}, {"f16", Suite::full}, {"i8", Suite::full}}};
  if (layout.gpu.capability >= hopper && layout.gpu.nccl_version >= first_with_f8)
    axis.values.push_back({"f8", Suite::full});
  return axis;
}

Axis ranks_axis(const Layout& layout) {
  Axis axis{"ranks", {{"all"}}};
  std::vector<RankSets> known{ranks_sets(layout, "all")};
  for (const char* name : {"node", "rail", "node_pairs", "halves"}) {
    RankSets sets = ranks_sets(layout, name);
    if (sets.empty() || std::ranges::find(known, sets) != known.end()) continue;
    known.push_back(std::move(sets));
    axis.values.push_back({name, std::string_view(name) == "node" ? Suite::quick : Suite::standard});
  }
  return axis;
}

RankSets ranks_sets(const Layout& layout, std::string_view ranks) {
  if (ranks == "node") return at_least_two(gpu_ranks_each_node(layout));
  if (ranks == "rail") return at_least_two(gpu_rails(layout));
  if (ranks == "halves") return at_least_two(halves(layout));
  if (ranks == "node_pairs") return at_least_two(node_pairs(layout));
  return at_least_two(gpu_ranks(layout));
}

Axis algorithm_axis(const Layout& layout, Algorithms which) {
  constexpr int first_with_nvls = 90;
  Axis axis{"algo", {{"free"}, {"ring", which == Algorithms::all_reduce ? Suite::quick : Suite::standard}}};
  if (which != Algorithms::all_reduce) return axis;
  axis.values.push_back({"tree", Suite::standard});
  if (layout.gpu.capability >= first_with_nvls) axis.values.push_back({"nvls", Suite::full});
  return axis;
}

std::string_view algorithm_setting(std::string_view algorithm) {
  if (algorithm == "ring") return "Ring";
  if (algorithm == "tree") return "Tree";
  if (algorithm == "nvls") return "NVLS,NVLSTree,Ring";
  return {};
}

Axis place_axis() { return {"place", {{"out"}, {"in", Suite::standard}}}; }

bool worth_measuring(const Point& point) {
  const std::uint64_t bytes = point.integer("bytes");
  int varied = 0;
  for (const auto& [axis, value] : {std::pair("dtype", "f32"), std::pair("algo", "free"), std::pair("place", "out")})
    varied += is_default(point, axis, value) ? 0 : 1;
  const bool plain_ranks = is_default(point, "ranks", "all") || is_default(point, "ranks", "node");
  if (varied > 1 || (varied > 0 && !plain_ranks)) return false;
  if (!is_default(point, "algo", "free")) return bytes >= least_pinned_bytes;
  return bytes >= mebibyte || (varied == 0 && plain_ranks);
}

Axis level_axis(const Layout& layout) {
  Axis axis{"level", {}};
  if (rounds_of(layout, "node") > 0) axis.values.push_back({"node"});
  if (rounds_of(layout, "gpu") > 0) axis.values.push_back({"gpu", Suite::standard});
  return axis;
}

Axis round_axis(const Layout& layout) {
  Axis axis{"round", {}};
  const int rounds = std::max(rounds_of(layout, "node"), rounds_of(layout, "gpu"));
  for (int round = 0; round < rounds; ++round)
    axis.values.push_back({std::to_string(round), round < rounds_of_small_suites ? Suite::quick : Suite::full});
  return axis;
}

RankSets pair_sets(const Layout& layout, std::string_view level, int round) {
  if (round >= rounds_of(layout, level)) return {};
  const RankSets nodes = gpu_ranks_each_node(layout);
  RankSets sets;
  if (level == "node") {
    for (const auto& pair : tournament_round(static_cast<int>(nodes.size()), round))
      sets.push_back(
          partners(layout, nodes[static_cast<std::size_t>(pair[0])], nodes[static_cast<std::size_t>(pair[1])]));
    return at_least_two(std::move(sets));
  }
  // The same rounds on every node: on one with fewer GPUs some pairs stay away.
  for (const auto& ranks : nodes) {
    for (const auto& pair : tournament_round(gpus_on_fullest_node(layout), round)) {
      if (static_cast<std::size_t>(pair[1]) < ranks.size())
        sets.push_back({ranks[static_cast<std::size_t>(pair[0])], ranks[static_cast<std::size_t>(pair[1])]});
    }
  }
  return sets;
}

}  // namespace assay::nccl
