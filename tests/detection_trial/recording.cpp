#include "tests/detection_trial/recording.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/pair_schedule.hpp"

namespace trial {
namespace {

using namespace assay;

constexpr int epochs = 5;
constexpr int iterations = 20;
constexpr int most_bandwidth_rounds = 48;  ///< across nodes
constexpr int most_latency_rounds = 160;

/// What all series of one kind have in common.
struct Kind {
  std::string case_name;
  std::string point;
  std::string work_kind = "bytes";
  double work = 1e9;  ///< of the whole set
  std::string direction = "one_way";
  std::string combine = "slowest";
};

class Recorder {
 public:
  explicit Recorder(Cluster& cluster) : cluster_(cluster) {
    const Shape& shape = cluster.shape();
    for (int node = 0; node < shape.nodes; ++node) {
      results::NodeRow row;
      row.node = node;
      row.host = fmt::format("node{}", node);
      run_.nodes.push_back(row);
      for (int unit = 0; unit < shape.gpus; ++unit) add_unit(node, unit);
    }
    run_.run.ranks = static_cast<int>(run_.ranks.size());
    run_.run.nodes = shape.nodes;
    run_.run.status = "done";
  }

  void pairs(const Kind& kind, const std::vector<Pair>& round, const std::vector<std::vector<double>>& values) {
    for (std::size_t i = 0; i < round.size(); ++i) {
      const auto [low, high] = std::minmax({rank_of(round[i].a), rank_of(round[i].b)});
      for (int epoch = 0; epoch < epochs; ++epoch) {
        const double value = values[i][static_cast<std::size_t>(epoch)];
        const double seconds = kind.work_kind == "latency" ? value * kind.work : kind.work / value;
        add(kind, {low, high}, epoch, {seconds, seconds});
      }
    }
  }

  void singles(const Kind& kind, const std::vector<std::vector<double>>& rates) {
    const Shape& shape = cluster_.shape();
    for (int node = 0; node < shape.nodes; ++node) {
      std::vector<int> members;
      for (int unit = 0; unit < shape.gpus; ++unit) members.push_back(rank_of({node, unit}));
      for (int epoch = 0; epoch < epochs; ++epoch) {
        std::vector<double> seconds;
        for (const int rank : members) {
          seconds.push_back(kind.work / shape.gpus /
                            rates[static_cast<std::size_t>(rank)][static_cast<std::size_t>(epoch)]);
        }
        add(kind, members, epoch, seconds);
      }
    }
  }

  void collective(const Kind& kind) {
    std::vector<int> members;
    for (const auto& rank : run_.ranks) members.push_back(rank.rank);
    for (int epoch = 0; epoch < epochs; ++epoch) {
      std::vector<double> seconds;
      for (const auto& of_rank : cluster_.collective(iterations)) {
        seconds.insert(seconds.end(), of_rank.begin(), of_rank.end());
      }
      add(kind, members, epoch, seconds);
    }
  }

  [[nodiscard]] RunData take() { return std::move(run_); }

 private:
  void add_unit(int node, int unit) {
    results::NicRow nic;
    nic.node = node;
    nic.name = fmt::format("ib{}", unit);
    nic.rdma_device = fmt::format("mlx5_{}", unit);
    run_.nics.push_back(nic);
    results::GpuRow gpu;
    gpu.node = node;
    gpu.gpu = unit;
    gpu.rank = static_cast<int>(run_.ranks.size());
    gpu.nic = nic.rdma_device;
    run_.gpus.push_back(gpu);
    results::RankRow rank;
    rank.rank = gpu.rank;
    rank.node = node;
    rank.local_rank = unit;
    rank.gpu = unit;
    run_.ranks.push_back(rank);
  }

  [[nodiscard]] int rank_of(const End& end) const { return end.node * cluster_.shape().gpus + end.unit; }

  void add(const Kind& kind, const std::vector<int>& members, int epoch, const std::vector<double>& seconds) {
    results::SeriesRow row;
    row.series = static_cast<std::int64_t>(run_.series.size());
    row.case_name = kind.case_name;
    row.point = kind.point;
    row.epoch = epoch;
    row.status = "ok";
    row.ranks = static_cast<std::int32_t>(members.size());
    row.members = static_cast<std::int64_t>(run_.members.size());
    row.offset = static_cast<std::int64_t>(run_.samples.size());
    row.count = static_cast<std::int64_t>(seconds.size());
    row.kept = row.count / row.ranks;
    row.iterations = row.kept;
    row.work_kind = kind.work_kind;
    row.work = kind.work;
    row.direction = kind.direction;
    row.combine = kind.combine;
    row.checked = 1;
    run_.members.insert(run_.members.end(), members.begin(), members.end());
    run_.samples.insert(run_.samples.end(), seconds.begin(), seconds.end());
    run_.series.push_back(std::move(row));
  }

  Cluster& cluster_;
  RunData run_;
};

std::vector<Pair> as_pairs(const UnitPairs& round, bool upper_first) {
  std::vector<Pair> pairs;
  for (const auto& [a, b] : round) {
    const Pair pair{{a.node, a.unit}, {b.node, b.unit}};
    pairs.push_back(upper_first ? Pair{pair.b, pair.a} : pair);
  }
  return pairs;
}

}  // namespace

RunData record(Cluster& cluster, std::uint64_t seed) {
  const Shape& shape = cluster.shape();
  Recorder recorder(cluster);
  const std::vector<int> gpus(static_cast<std::size_t>(shape.nodes), shape.gpus);
  const auto in_nodes = pair_rounds_in_nodes(gpus);
  for (std::size_t r = 0; r < in_nodes.size(); ++r) {
    for (const bool upper : {false, true}) {
      const auto pairs = as_pairs(in_nodes[r], upper);
      recorder.pairs({"gpu.peer_copy", fmt::format("by:copy_engine/op:write/way:one/bytes:268435456/from:{}/round:{}",
                                                   upper ? "upper" : "lower", r)},
                     pairs, cluster.copies_in_nodes(pairs, epochs));
    }
  }
  const auto across = pair_rounds({.units_on_node = gpus, .most_rounds = most_bandwidth_rounds, .seed = seed});
  for (std::size_t r = 0; r < across.size(); ++r) {
    const auto pairs = as_pairs(across[r], false);
    recorder.pairs({"nccl.pairs", fmt::format("bytes:67108864/level:nic/round:{}", r), "bytes", 1e9, "both_ways"},
                   pairs, cluster.exchanges_across(pairs, epochs));
  }
  const std::vector<int> ones(static_cast<std::size_t>(shape.nodes), 1);
  const auto latencies = pair_rounds({.units_on_node = ones, .most_rounds = most_latency_rounds, .seed = seed + 1});
  for (std::size_t r = 0; r < latencies.size(); ++r) {
    const auto pairs = as_pairs(latencies[r], false);
    recorder.pairs({"mpi.pairs", fmt::format("bytes:8/round:node{}", r), "latency", 2}, pairs,
                   cluster.latencies_across(pairs, epochs));
  }
  recorder.singles(
      {"gpu.host_copy", "way:to_device/bytes:268435456/numa:near/gpus:node", "bytes", 1e9, "one_way", "concurrent"},
      cluster.host_copies(epochs));
  recorder.singles({"gpu.memory", "op:copy/bytes:1073741824/gpus:node", "bytes", 1e9, "none", "concurrent"},
                   cluster.memory_rates(epochs));
  recorder.collective({"mpi.all_reduce", "bytes:8/ranks:all"});
  return recorder.take();
}

}  // namespace trial
