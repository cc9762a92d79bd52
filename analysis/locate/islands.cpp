#include "analysis/locate/islands.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <span>
#include <tuple>
#include <unordered_map>

#include "core/statistics.hpp"

namespace assay::locate {
namespace {

constexpr std::size_t most_cuts = 6;
constexpr double valley_share = 0.15;
constexpr double least_fitting = 0.95;
constexpr double least_evidence = 12;  ///< nats: 6 cuts are tried, on a few levels
constexpr double least_evidence_when_clear = 3;
constexpr double clear_steps = 10;    ///< sigmas between fast and slow
constexpr double least_sigma = 0.01;  ///< of ln cost

/// One edge for each pair of vertices: the median where there are several.
std::vector<Edge> merged(std::vector<Edge> edges) {
  for (Edge& edge : edges) {
    if (edge.a > edge.b) std::swap(edge.a, edge.b);
  }
  std::sort(edges.begin(), edges.end(), [](const Edge& x, const Edge& y) {
    return x.a != y.a ? x.a < y.a : x.b != y.b ? x.b < y.b : x.value < y.value;
  });
  std::vector<Edge> result;
  for (std::size_t first = 0; first < edges.size();) {
    std::size_t last = first;
    while (last < edges.size() && edges[last].a == edges[first].a && edges[last].b == edges[first].b) ++last;
    result.push_back(edges[first + (last - first - 1) / 2]);
    first = last;
  }
  std::sort(result.begin(), result.end(), [](const Edge& x, const Edge& y) { return x.value < y.value; });
  return result;
}

/// Numbers of edges on the fast side, for cuts worth trying; `edges` ascend.
std::vector<std::size_t> cuts_of(const std::vector<Edge>& edges, double least_step) {
  const std::size_t count = edges.size();
  const std::size_t smoothing = 1 + count / 500;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i + smoothing < count; ++i) places.push_back(i);
  const auto width = [&](std::size_t i) { return edges[i + smoothing].value - edges[i].value; };
  std::sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) { return width(a) > width(b); });
  std::vector<std::size_t> cuts;
  for (const std::size_t place : places) {
    if (cuts.size() == most_cuts || width(place) < least_step / 20) break;
    const bool near = std::any_of(cuts.begin(), cuts.end(), [&](std::size_t cut) {
      return std::max(cut, place + 1) - std::min(cut, place + 1) <= 2 * smoothing;
    });
    if (!near) cuts.push_back(place + 1);
  }
  return cuts;
}

/// Whether the values are really two groups.
bool splits(const std::vector<Edge>& edges, std::size_t cut, double least_step) {
  const double fast = edges[(cut - 1) / 2].value;
  const double slow = edges[cut + (edges.size() - cut - 1) / 2].value;
  if (slow - fast < least_step) return false;
  const double low = fast + (slow - fast) * 0.4;
  const double high = fast + (slow - fast) * 0.6;
  const auto in_valley =
      std::count_if(edges.begin(), edges.end(), [&](const Edge& e) { return e.value > low && e.value < high; });
  return static_cast<double>(in_valley) <= valley_share * static_cast<double>(std::min(cut, edges.size() - cut));
}

/// Joins vertices by fast edges, minding the slow ones that are known between islands.
class Joining {
 public:
  Joining(std::int32_t vertices, const std::vector<Edge>& edges, std::size_t cut)
      : parent_(static_cast<std::size_t>(vertices)), known_(parent_.size()) {
    std::iota(parent_.begin(), parent_.end(), 0);
    for (std::size_t i = 0; i < edges.size(); ++i) {
      for (const auto& [from, to] : {std::pair(edges[i].a, edges[i].b), std::pair(edges[i].b, edges[i].a)}) {
        auto& tally = known_[static_cast<std::size_t>(from)][to];
        ++(i < cut ? tally.fast : tally.slow);
      }
    }
    for (std::size_t i = 0; i < cut; ++i) join(find(edges[i].a), find(edges[i].b));
  }

  std::int32_t find(std::int32_t vertex) {
    while (parent_[static_cast<std::size_t>(vertex)] != vertex) {
      auto& up = parent_[static_cast<std::size_t>(vertex)];
      up = parent_[static_cast<std::size_t>(up)];
      vertex = up;
    }
    return vertex;
  }

 private:
  struct Tally {
    std::int32_t fast = 0;
    std::int32_t slow = 0;
  };

  void join(std::int32_t a, std::int32_t b) {
    if (a == b) return;
    const Tally between = known_[static_cast<std::size_t>(a)][b];
    if (between.slow > between.fast) return;
    if (known_[static_cast<std::size_t>(a)].size() < known_[static_cast<std::size_t>(b)].size()) std::swap(a, b);
    parent_[static_cast<std::size_t>(b)] = a;
    auto& large = known_[static_cast<std::size_t>(a)];
    for (const auto& [other, tally] : known_[static_cast<std::size_t>(b)]) {
      if (other == a) continue;
      large[other].fast += tally.fast;
      large[other].slow += tally.slow;
      auto& back = known_[static_cast<std::size_t>(other)];
      back[a].fast += tally.fast;
      back[a].slow += tally.slow;
      back.erase(b);
    }
    large.erase(b);
    known_[static_cast<std::size_t>(b)].clear();
  }

  std::vector<std::int32_t> parent_;
  std::vector<std::unordered_map<std::int32_t, Tally>> known_;
};

Islands islands_of(std::int32_t vertices, const std::vector<Edge>& edges, std::size_t cut) {
  Joining joining(vertices, edges, cut);
  std::map<std::int32_t, int> sizes;
  for (std::int32_t v = 0; v < vertices; ++v) ++sizes[joining.find(v)];
  Islands islands;
  islands.of.assign(static_cast<std::size_t>(vertices), -1);
  std::map<std::int32_t, std::int32_t> numbers;
  for (std::int32_t v = 0; v < vertices; ++v) {
    const std::int32_t root = joining.find(v);
    if (sizes[root] < 2) continue;
    islands.of[static_cast<std::size_t>(v)] =
        numbers.try_emplace(root, static_cast<std::int32_t>(numbers.size())).first->second;
  }
  islands.count = static_cast<int>(numbers.size());
  std::vector<double> inside, between;
  std::size_t fitting = 0;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const auto a = islands.of[static_cast<std::size_t>(edges[i].a)];
    const bool same = a >= 0 && a == islands.of[static_cast<std::size_t>(edges[i].b)];
    (same ? inside : between).push_back(edges[i].value);
    fitting += same == (i < cut) ? 1 : 0;
  }
  islands.inside = median(inside);
  islands.between = median(between);
  islands.fitting = static_cast<double>(fitting) / static_cast<double>(edges.size());
  return islands;
}

double side_sigma(const std::vector<Edge>& edges, std::size_t first, std::size_t last) {
  std::vector<double> values;
  for (std::size_t i = first; i < last; ++i) values.push_back(edges[i].value);
  return values.size() < 3 ? 0 : 1.4826 * median_absolute_deviation(values);
}

/// How well the islands are borne out: nats against fast edges that fall anywhere with the same frequency. Those that
/// first join an island are no evidence: any fast edge joins something.
double evidence_of(const Islands& islands, const std::vector<Edge>& edges, std::size_t cut) {
  const double fast_share = static_cast<double>(cut) / static_cast<double>(edges.size());
  const auto in_islands = std::count_if(islands.of.begin(), islands.of.end(), [](int i) { return i >= 0; });
  const double joining = static_cast<double>(in_islands) - islands.count;
  double inside = 0;
  double between = 0;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const auto a = islands.of[static_cast<std::size_t>(edges[i].a)];
    const bool same = a >= 0 && a == islands.of[static_cast<std::size_t>(edges[i].b)];
    inside += same && i < cut ? 1 : 0;
    between += !same && i >= cut ? 1 : 0;
  }
  return (inside - joining) * -std::log(fast_share) + between * -std::log1p(-fast_share);
}

/// Borne out by many edges, or by values that lie so far apart that few edges do.
bool convincing(const Islands& islands, const std::vector<Edge>& edges, std::size_t cut) {
  const double sigma = std::max({side_sigma(edges, 0, cut), side_sigma(edges, cut, edges.size()), least_sigma});
  const double evidence = evidence_of(islands, edges, cut);
  const bool clear = islands.between - islands.inside > clear_steps * sigma;
  return evidence > least_evidence || (clear && evidence > least_evidence_when_clear);
}

/// Vertices that lie in islands, of those that have edges at all.
std::size_t joined(const Islands& islands) {
  return static_cast<std::size_t>(std::count_if(islands.of.begin(), islands.of.end(), [](int i) { return i >= 0; }));
}

}  // namespace

Islands find_islands(std::int32_t vertices, std::vector<Edge> edges, double least_step) {
  Islands best;
  best.of.assign(static_cast<std::size_t>(vertices), -1);
  edges = merged(std::move(edges));
  for (const std::size_t cut : cuts_of(edges, least_step)) {
    if (!splits(edges, cut, least_step)) continue;
    Islands islands = islands_of(vertices, edges, cut);
    const bool partial = islands.count > 1 || (islands.count == 1 && joined(islands) < islands.of.size());
    if (!partial || islands.fitting < least_fitting || std::isnan(islands.between)) continue;
    if (!convincing(islands, edges, cut)) continue;
    // Islands beat a lone one with outsiders: faults make outsiders, only structure makes islands.
    const auto rank = [](const Islands& i) { return std::tuple(i.count > 1, joined(i), i.fitting); };
    if (!best.found() || rank(islands) > rank(best)) best = std::move(islands);
  }
  return best;
}

}  // namespace assay::locate
