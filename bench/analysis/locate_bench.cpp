// Time and memory of locating slow parts in a synthetic cluster of 8 GPUs and NICs per node: pairs within nodes,
// sampled rounds across nodes (core/pair_schedule), latencies between nodes, each with 5 epochs, and one slow NIC to be
// found. locate_bench [NODES] [ROUNDS] [LATENCY_ROUNDS]      2048 nodes, 230 and 150 rounds make 1.1e7 values Bounds:
// 16,384 GPUs 30 s and 4 GiB; 1,024 GPUs (128 nodes, 127 and 127 rounds) 2 s.
#include <fmt/format.h>
#include <sys/resource.h>

#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "analysis/locate/locate.hpp"
#include "analysis/locate/oversubscription.hpp"
#include "core/clock.hpp"
#include "core/pair_schedule.hpp"
#include "core/random.hpp"

namespace assay {
namespace {

constexpr int units = 8;
constexpr int epochs = 5;
constexpr int nodes_per_leaf = 32;

class Synthetic {
 public:
  explicit Synthetic(int nodes) : nodes_(nodes) {}

  locate::PairMatrix start(const std::string& name) const {
    locate::PairMatrix matrix;
    matrix.name = name;
    for (int node = 0; node < nodes_; ++node) {
      for (int unit = 0; unit < units; ++unit) {
        matrix.ends.push_back({node, unit, unit, unit, unit, node * units + unit});
      }
    }
    return matrix;
  }

  void add(locate::PairMatrix& matrix, const std::vector<UnitPairs>& rounds, double sound, double far) {
    for (std::size_t round = 0; round < rounds.size(); ++round) {
      for (const auto& [a, b] : rounds[round]) {
        locate::PairRow row{a.node * units + a.unit,
                            b.node * units + b.unit,
                            static_cast<std::int32_t>(round),
                            epochs,
                            static_cast<std::int64_t>(matrix.costs.size()),
                            false};
        double cost = sound + (a.node / nodes_per_leaf == b.node / nodes_per_leaf ? 0 : far);
        const bool slow = (a.node == 1 && a.unit == 3) || (b.node == 1 && b.unit == 3);
        if (slow && a.node != b.node) cost += std::log(1.25);
        for (int epoch = 0; epoch < epochs; ++epoch) {
          matrix.costs.push_back({cost + 0.02 * (random_.uniform() + random_.uniform() - 1), epoch});
        }
        matrix.rows.push_back(row);
      }
    }
  }

 private:
  int nodes_;
  Random random_{1};
};

std::vector<locate::PairMatrix> make(int nodes, int rounds, int latency_rounds) {
  Synthetic synthetic(nodes);
  const std::vector<int> all(static_cast<std::size_t>(nodes), units);
  std::vector<locate::PairMatrix> matrices;
  matrices.push_back(synthetic.start("gpu.peer_copy"));
  synthetic.add(matrices.back(), pair_rounds_in_nodes(all), -std::log(380e9), 0);
  matrices.push_back(synthetic.start("nccl.pairs"));
  synthetic.add(matrices.back(), pair_rounds({.units_on_node = all, .most_rounds = rounds}), -std::log(48e9), 0);
  matrices.push_back(synthetic.start("mpi.pairs"));
  locate::PairMatrix& latencies = matrices.back();
  latencies.dimension = Dimension::seconds;
  latencies.composition = locate::Composition::sum;
  for (auto& end : latencies.ends) end.gpu = end.nic = end.rail = -1;
  const std::vector<int> ones(static_cast<std::size_t>(nodes), 1);
  synthetic.add(latencies, pair_rounds({.units_on_node = ones, .most_rounds = latency_rounds}), std::log(2e-6), 0.35);
  return matrices;
}

void run(int nodes, int rounds, int latency_rounds) {
  const auto matrices = make(nodes, rounds, latency_rounds);
  std::size_t rows = 0;
  std::size_t values = 0;
  for (const auto& matrix : matrices) {
    rows += matrix.rows.size();
    values += matrix.costs.size();
  }
  const double start = monotonic_seconds();
  const locate::Localisation found = locate::locate(matrices, {});
  for (const auto& matrix : matrices) (void)locate::oversubscription_of(matrix, found.topology.leaf_of(matrix));
  const double seconds = monotonic_seconds() - start;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  fmt::print("{} GPUs, {} pairs, {} values: {:.2f} s, peak {:.2f} GiB; {} islands, {} finding(s)\n", nodes * units,
             rows, values, seconds, static_cast<double>(usage.ru_maxrss) / (1024.0 * 1024.0),
             found.topology.levels.empty() ? 0 : found.topology.levels.back().islands.count, found.findings.size());
  for (const auto& finding : found.findings) fmt::print("  {}\n", finding.sentence);
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  const auto number = [&](int i, int usual) { return argc > i ? std::atoi(argv[i]) : usual; };
  assay::run(number(1, 2048), number(2, 230), number(3, 150));
  return 0;
}
