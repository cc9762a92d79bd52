#pragma once

#include <cstdint>
#include <vector>

namespace assay::locate {

/// A measured pair of vertices (GPUs, NICs, nodes).
struct Edge {
  std::int32_t a = 0;
  std::int32_t b = 0;
  double value = 0;  ///< ln cost
};

/// Groups of vertices that reach each other faster than what lies outside.
struct Islands {
  std::vector<std::int32_t> of;  ///< by vertex: number of its island in the order of their first vertices; -1: in none
  int count = 0;                 ///< islands of two vertices and more
  double inside = 0;             ///< median ln cost of the edges within islands
  double between = 0;            ///< of the others
  double fitting = 0;            ///< share of edges that are fast within an island or slow between two
  [[nodiscard]] bool found() const { return count > 0; }
};

/// Finds islands without being told how many there are. The values are cut at each of their widest gaps in turn (gaps
/// smoothed over 1/500 of the edges, so that a few stragglers do not close one). A cut counts when the two sides differ
/// by at least `least_step` (ln cost) in the median and the middle fifth between the medians is as good as empty: one
/// mode is never cut. Its fast edges join vertices, best first, unless most of what is known between the two islands is
/// slow. The cut whose islands fit the most edges wins; below 95 % there are none. Islands must be borne out: by edges
/// that close circles inside of them and by slow ones between them (12 nats against fast edges thrown in at random), or
/// by 3 nats and values ten sigmas apart.
/// A lone island is reported when other vertices lie outside of it; everything in one island is none.
/// Cost: O(e log e) for e edges.
[[nodiscard]] Islands find_islands(std::int32_t vertices, std::vector<Edge> edges, double least_step);

}  // namespace assay::locate
