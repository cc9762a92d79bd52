#include "collectives/mpi/axes.hpp"

#include <string>

namespace assay::mpi {

namespace {

constexpr int smallest_power = 3;
constexpr int largest_standard_power = 26;

Suite suite_of(int power) {
  if (power == smallest_power || power == 16 || power == 22) return Suite::quick;
  return power % 2 == 0 && power <= largest_standard_power ? Suite::standard : Suite::full;
}

RankSets each_node(const Layout& layout) {
  RankSets sets;
  for (int node = 0; node < layout.nodes(); ++node) {
    std::vector<int> ranks = layout.ranks_on(node);
    if (ranks.size() >= 2) sets.push_back(std::move(ranks));
  }
  return sets;
}

}  // namespace

Axis bytes_axis(std::uint64_t largest) {
  Axis axis{"bytes", {}};
  for (int power = smallest_power; (std::uint64_t{1} << power) <= largest; ++power)
    axis.values.push_back({std::to_string(std::uint64_t{1} << power), suite_of(power)});
  return axis;
}

Axis dtype_axis() { return {"dtype", {{"f32", Suite::quick}, {"f64", Suite::standard}}}; }

Axis ranks_axis(const Layout& layout) {
  Axis axis{"ranks", {{"all"}}};
  if (layout.nodes() > 1 && !each_node(layout).empty()) axis.values.push_back({"node"});
  return axis;
}

RankSets ranks_sets(const Layout& layout, const Point& point) {
  return point.get("ranks") == "node" ? each_node(layout) : everyone(layout);
}

Axis between_axis(const Layout& layout) {
  Axis axis{"between", {}};
  if (!pair_in_node(layout).empty()) axis.values.push_back({"node"});
  if (!pair_across_nodes(layout).empty()) axis.values.push_back({"nodes"});
  return axis;
}

RankSets between_sets(const Layout& layout, const Point& point) {
  return point.get("between") == "node" ? pair_in_node(layout) : pair_across_nodes(layout);
}

}  // namespace assay::mpi
