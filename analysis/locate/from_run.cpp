#include "analysis/locate/from_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <unordered_map>

#include "analysis/measurement.hpp"
#include "core/case.hpp"
#include "core/point.hpp"
#include "core/statistics.hpp"

namespace assay::locate {
namespace {

using results::SeriesRow;

/// NICs of a node in the order of the record.
class Nics {
 public:
  explicit Nics(const RunData& run) : names_(names_of(run)) {
    std::map<int, std::vector<int>> used;
    for (const auto& gpu : run.gpus) {
      const int nic = number(gpu.node, gpu.nic);
      near_gpu_[{gpu.node, gpu.gpu}] = nic;
      if (nic >= 0) used[gpu.node].push_back(nic);
    }
    for (auto& [node, nics] : used) {
      std::sort(nics.begin(), nics.end());
      nics.erase(std::unique(nics.begin(), nics.end()), nics.end());
      for (std::size_t i = 0; i < nics.size(); ++i) rails_[{node, nics[i]}] = static_cast<int>(i);
    }
  }

  /// By name or number; -1 when there is none.
  [[nodiscard]] int number(int node, const std::string& text) const {
    if (text.empty() || node < 0 || static_cast<std::size_t>(node) >= names_.nics.size()) return -1;
    const auto& nics = names_.nics[static_cast<std::size_t>(node)];
    const auto at = std::find(nics.begin(), nics.end(), text);
    if (at != nics.end()) return static_cast<int>(at - nics.begin());
    int value = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? value : -1;
  }
  [[nodiscard]] int near(int node, int gpu) const { return look_up(near_gpu_, node, gpu); }
  /// Counted over the NICs that are nearest to some GPU; without any such, the NIC's own number.
  [[nodiscard]] int rail(int node, int nic) const { return rails_.empty() ? nic : look_up(rails_, node, nic); }

 private:
  using Table = std::map<std::pair<int, int>, int>;
  static int look_up(const Table& table, int node, int unit) {
    const auto at = table.find({node, unit});
    return at == table.end() ? -1 : at->second;
  }

  Names names_;
  Table near_gpu_;
  Table rails_;
};

/// How the series of one point enter which matrix; the same for all of its epochs and sets.
struct Plan {
  bool used = false;
  std::size_t matrix = 0;
  std::int32_t round = 0;
  bool single = false;  ///< each rank's own figure
  bool directed = false;
  bool upper_sends = false;
  std::string nic, peer_nic;
};

bool is_single(const std::string& name) {
  return name == "gpu.gemm" || name == "gpu.memory" || name == "gpu.host_copy";
}

/// The point's text without the axes that only say which pair of the matrix it is.
std::string matrix_name(const SeriesRow& row, const Point& point, bool single) {
  std::string text = row.case_name;
  for (const auto& [axis, value] : point.values()) {
    if (axis == "round" || axis == "from" || axis == "nic" || axis == "peer_nic") continue;
    const bool one_gpu = single && axis == "gpus" && value != "node";
    text += '/' + axis + ':' + (one_gpu ? "each" : value);
  }
  return text;
}

class Gatherer {
 public:
  explicit Gatherer(const RunData& run) : run_(run), nics_(run) {
    for (const auto& rank : run.ranks) {
      if (rank.rank < 0) continue;
      const auto index = static_cast<std::size_t>(rank.rank);
      if (ends_.size() <= index) ends_.resize(index + 1);
      const int nic = rank.gpu < 0 ? -1 : nics_.near(rank.node, rank.gpu);
      ends_[index] = {rank.node, rank.local_rank, rank.gpu, nic, nic < 0 ? -1 : nics_.rail(rank.node, nic), rank.rank};
    }
  }

  void add(const SeriesRow& row) {
    if (row.status == "failed" || row.status == "wrong_data" || row.wrong > 0) return;
    if (row.status == "ok" && row.checked <= 0) return;
    const Plan& plan = plan_of(row);
    if (!plan.used) return;
    const auto members = run_.members_of(row);
    const bool known = std::all_of(members.begin(), members.end(), [&](int rank) {
      return rank >= 0 && static_cast<std::size_t>(rank) < ends_.size() &&
             ends_[static_cast<std::size_t>(rank)].node >= 0;
    });
    if (!known) return;
    if (plan.single) {
      add_single(plan, row, members);
    } else if (members.size() == 2) {
      add_pair(plan, row, members);
    } else {
      add_pairs_of_nodes(plan, row, members);
    }
  }

  std::vector<PairMatrix> finish() {
    for (Building& building : building_) {
      PairMatrix& matrix = building.matrix;
      for (const auto& [index, cost] : building.costs) ++matrix.rows[index].count;
      std::int64_t first = 0;
      for (PairRow& row : matrix.rows) {
        row.first = first;
        first += row.count;
        row.count = 0;
      }
      matrix.costs.resize(static_cast<std::size_t>(first));
      for (const auto& [index, cost] : building.costs) {
        PairRow& row = matrix.rows[index];
        matrix.costs[static_cast<std::size_t>(row.first + row.count++)] = cost;
      }
    }
    std::vector<PairMatrix> matrices;
    for (Building& building : building_) {
      if (!building.matrix.rows.empty()) matrices.push_back(std::move(building.matrix));
    }
    return matrices;
  }

 private:
  struct Building {
    PairMatrix matrix;
    std::unordered_map<std::uint64_t, std::size_t> rows;
    std::vector<std::pair<std::size_t, Cost>> costs;
    std::map<std::string, std::int32_t> rounds;
    std::map<std::pair<int, int>, std::int32_t> nic_ends;  ///< rank and NIC, where an axis names the NIC
  };

  /// Messages between host memories: which NIC carries them is MPI's business, and no GPU has a part in it.
  [[nodiscard]] std::vector<End> host_ends() const {
    std::vector<End> ends = ends_;
    for (End& end : ends) end.gpu = end.nic = end.rail = -1;
    return ends;
  }

  const Plan& plan_of(const SeriesRow& row) {
    const auto [at, is_new] = plans_.try_emplace(row.case_name + '\n' + row.point);
    if (!is_new) return at->second;
    const auto point = Point::parse(row.point);
    Plan& plan = at->second;
    if (!point) return plan;
    plan.single = is_single(row.case_name) && point->has("gpus");
    plan.used = plan.single || point->has("round");
    if (!plan.used) return plan;
    const bool latency = row.work_kind == to_string(WorkKind::latency);
    const std::string name = matrix_name(row, *point, plan.single);
    const auto [number, fresh] = numbers_.try_emplace(name, building_.size());
    if (fresh) {
      PairMatrix matrix;
      matrix.name = name;
      const auto kind = parse_work_kind(row.work_kind);
      matrix.dimension = kind ? dimension_of(*kind) : Dimension::bytes_per_second;
      matrix.composition = latency ? Composition::sum : Composition::bottleneck;
      matrix.ends = row.case_name.starts_with("mpi.") && !row.case_name.starts_with("mpi.gpu") ? host_ends() : ends_;
      building_.push_back({std::move(matrix), {}, {}, {}, {}});
    }
    plan.matrix = number->second;
    if (point->has("round")) {
      auto& rounds = building_[plan.matrix].rounds;
      plan.round = rounds.try_emplace(point->get("round"), static_cast<std::int32_t>(rounds.size())).first->second;
    }
    if (point->has("from")) {
      const bool upper_initiates = point->get("from") == "upper";
      const bool reads = point->has("op") && point->get("op") == "read";
      plan.directed = !point->has("way") || point->get("way") == "one";
      plan.upper_sends = upper_initiates != reads;  // who reads, receives
    }
    if (point->has("nic")) plan.nic = point->get("nic");
    plan.peer_nic = point->has("peer_nic") ? point->get("peer_nic") : plan.nic;
    return plan;
  }

  std::int32_t end_of(Building& building, int rank, const std::string& nic) {
    if (nic.empty()) return rank;
    End end = ends_[static_cast<std::size_t>(rank)];
    end.nic = nics_.number(end.node, nic);
    end.rail = nics_.rail(end.node, end.nic);
    const auto [at, is_new] =
        building.nic_ends.try_emplace({rank, end.nic}, static_cast<std::int32_t>(building.matrix.ends.size()));
    if (is_new) building.matrix.ends.push_back(end);
    return at->second;
  }

  void add_cost(Building& building, const PairRow& row, double value, std::int32_t epoch) {
    if (!std::isfinite(value) || value <= 0) return;
    const std::uint64_t key = static_cast<std::uint64_t>(row.a) << 40 | static_cast<std::uint64_t>(row.b + 1) << 16 |
                              (static_cast<std::uint64_t>(row.round) & 0x7fffU) << 1 | (row.directed ? 1U : 0U);
    const auto [at, is_new] = building.rows.try_emplace(key, building.matrix.rows.size());
    if (is_new) building.matrix.rows.push_back(row);
    const bool seconds = building.matrix.dimension == Dimension::seconds;
    building.costs.emplace_back(at->second, Cost{seconds ? std::log(value) : -std::log(value), epoch});
  }

  void add_pair(const Plan& plan, const SeriesRow& row, std::span<const std::int32_t> members) {
    Building& building = building_[plan.matrix];
    PairRow pair;
    pair.a = end_of(building, members[0], plan.nic);
    pair.b = end_of(building, members[1], plan.peer_nic);
    if (plan.upper_sends) std::swap(pair.a, pair.b);
    pair.round = plan.round;
    pair.directed = plan.directed;
    add_cost(building, pair, epoch_value(run_, row), row.epoch);
  }

  /// A pair of nodes whose ranks of equal place are partners, all at once: one pair for each of these.
  void add_pairs_of_nodes(const Plan& plan, const SeriesRow& row, std::span<const std::int32_t> members) {
    const std::size_t half = members.size() / 2;
    const auto samples = run_.samples_of(row);
    const auto kept = static_cast<std::size_t>(std::max<std::int64_t>(0, row.kept));
    if (half == 0 || members.size() % 2 != 0 || kept == 0 || samples.size() != members.size() * kept) return;
    const auto place = [&](std::size_t i) {
      const End& end = ends_[static_cast<std::size_t>(members[i])];
      return end.gpu >= 0 ? end.gpu : end.slot;
    };
    for (std::size_t i = 0; i < half; ++i) {
      const End& a = ends_[static_cast<std::size_t>(members[i])];
      const End& b = ends_[static_cast<std::size_t>(members[i + half])];
      if (a.node == b.node || place(i) != place(i + half)) return;  // not made of such pairs
    }
    std::vector<double> slower(kept);
    for (std::size_t i = 0; i < half; ++i) {
      for (std::size_t k = 0; k < kept; ++k)
        slower[k] = std::max(samples[i * kept + k], samples[(i + half) * kept + k]);
      const double value = row.work * row.bus_factor / static_cast<double>(half) / median(slower);
      add_cost(building_[plan.matrix], {.a = members[i], .b = members[i + half], .round = plan.round}, value,
               row.epoch);
    }
  }

  void add_single(const Plan& plan, const SeriesRow& row, std::span<const std::int32_t> members) {
    const auto samples = run_.samples_of(row);
    if (members.empty() || row.kept < 1 || samples.size() != members.size() * static_cast<std::size_t>(row.kept))
      return;
    for (std::size_t i = 0; i < members.size(); ++i) {
      const auto kept = static_cast<std::size_t>(row.kept);
      const double share = row.work * row.bus_factor / static_cast<double>(members.size());
      add_cost(building_[plan.matrix], {.a = members[i], .b = -1, .round = plan.round},
               share / median(samples.subspan(i * kept, kept)), row.epoch);
    }
  }

  const RunData& run_;
  Nics nics_;
  std::vector<End> ends_;
  std::unordered_map<std::string, Plan> plans_;
  std::map<std::string, std::size_t> numbers_;
  std::vector<Building> building_;
};

}  // namespace

Names names_of(const RunData& run) {
  Names names;
  for (const auto& node : run.nodes) {
    if (node.node < 0) continue;
    const auto index = static_cast<std::size_t>(node.node);
    if (names.hosts.size() <= index) names.hosts.resize(index + 1);
    names.hosts[index] = node.host;
  }
  for (const auto& nic : run.nics) {
    if (nic.node < 0) continue;
    const auto index = static_cast<std::size_t>(nic.node);
    if (names.nics.size() <= index) names.nics.resize(index + 1);
    names.nics[index].push_back(nic.rdma_device.empty() ? nic.name : nic.rdma_device);
  }
  return names;
}

std::vector<PairMatrix> pair_matrices(const RunData& run) {
  Gatherer gatherer(run);
  for (const SeriesRow& row : run.series) gatherer.add(row);
  return gatherer.finish();
}

}  // namespace assay::locate
