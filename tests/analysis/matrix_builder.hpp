#pragma once

#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "analysis/locate/pair_matrix.hpp"
#include "core/layout.hpp"
#include "core/random.hpp"

namespace assay::locate::test {

/// Matrices of nodes "node0", ... with units that are a GPU and its NIC "mlx5_0", ...; five epochs, 0.5 % of noise.
class MatrixBuilder {
 public:
  MatrixBuilder(int nodes, int units, std::string name = "nccl.pairs", std::uint64_t seed = 1)
      : nodes_(nodes), units_(units), random_(seed) {
    matrix_.name = std::move(name);
    for (int node = 0; node < nodes; ++node) {
      names_.hosts.push_back("node" + std::to_string(node));
      names_.nics.emplace_back();
      for (int unit = 0; unit < units; ++unit) {
        names_.nics.back().push_back("mlx5_" + std::to_string(unit));
        matrix_.ends.push_back({node, unit, unit, unit, unit, node * units + unit});
      }
    }
  }

  void offset_of_epoch(int epoch, double log_cost) { offsets_[epoch] = log_cost; }

  /// rate(lower end, upper end) in B/s of all pairs between nodes, in rounds.
  template <class Rate>
  void across(Rate rate) {
    for (int a = 0; a < ends(); ++a) {
      for (int b = a + 1; b < ends(); ++b) {
        if (node_of(a) != node_of(b)) add(a, b, false, -std::log(rate(end(a), end(b))), a + b);
      }
    }
  }
  template <class Rate>
  void same_rail(Rate rate) {
    for (int a = 0; a < ends(); ++a) {
      for (int b = a + 1; b < ends(); ++b) {
        if (node_of(a) != node_of(b) && end(a).nic == end(b).nic) add(a, b, false, -std::log(rate(end(a), end(b))), 0);
      }
    }
  }
  template <class Rate>
  void in_nodes(Rate rate) {
    for (int a = 0; a < ends(); ++a) {
      for (int b = a + 1; b < ends(); ++b) {
        if (node_of(a) == node_of(b)) add(a, b, false, -std::log(rate(end(a), end(b))), a + b);
      }
    }
  }
  /// rate(from, to) within nodes, both ways.
  template <class Rate>
  void copies(Rate rate) {
    for (int a = 0; a < ends(); ++a) {
      for (int b = 0; b < ends(); ++b) {
        if (a != b && node_of(a) == node_of(b)) add(a, b, true, -std::log(rate(end(a), end(b))), a + b);
      }
    }
  }
  /// seconds(a, b) between the first units of all nodes, host memory.
  template <class Seconds>
  void latencies(Seconds seconds) {
    matrix_.dimension = Dimension::seconds;
    matrix_.composition = Composition::sum;
    for (End& e : matrix_.ends) e.gpu = e.nic = e.rail = -1;
    for (int a = 0; a < nodes_; ++a) {
      for (int b = a + 1; b < nodes_; ++b) {
        add(a * units_, b * units_, false, std::log(seconds(end(a * units_), end(b * units_))), a + b);
      }
    }
  }
  template <class Rate>
  void singles(Rate rate) {
    for (int a = 0; a < ends(); ++a) add(a, -1, false, -std::log(rate(end(a))), 0);
  }

  void add(int a, int b, bool directed, double log_cost, int round) {
    PairRow row{a, b, round, epochs, static_cast<std::int64_t>(matrix_.costs.size()), directed};
    for (int epoch = 0; epoch < epochs; ++epoch) {
      const double noise = 0.005 * normal();
      matrix_.costs.push_back({log_cost + noise + offsets_[epoch], epoch});
    }
    matrix_.rows.push_back(row);
  }

  [[nodiscard]] const PairMatrix& matrix() const { return matrix_; }
  [[nodiscard]] const Names& names() const { return names_; }
  [[nodiscard]] int ends() const { return static_cast<int>(matrix_.ends.size()); }

 private:
  static constexpr int epochs = 5;

  [[nodiscard]] const End& end(int index) const { return matrix_.ends[static_cast<std::size_t>(index)]; }
  [[nodiscard]] int node_of(int index) const { return end(index).node; }
  /// Sum of twelve uniforms.
  double normal() {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += random_.uniform();
    return sum;
  }

  int nodes_;
  int units_;
  Random random_;
  PairMatrix matrix_;
  Names names_;
  std::map<int, double> offsets_;
};

}  // namespace assay::locate::test
