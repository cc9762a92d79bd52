#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

/// A cluster made of numbers, with noise and faults: what the detection trial measures. It knows nothing of the program
/// under test and shares neither code nor constants with it. docs/detection-trial.md has the sources of the noise.
namespace trial {

struct Shape {
  int nodes = 1;
  int gpus = 8;  ///< of a node, each with a NIC of its own
  int nodes_per_leaf = 16;
  double oversubscription = 1;
  double nvlink_rate = 0;    ///< one way, two GPUs [B/s]
  double nic_rate = 0;       ///< one way [B/s]
  double pcie_rate = 0;      ///< host to device [B/s]
  double memory_rate = 0;    ///< [B/s]
  double leaf_latency = 0;   ///< one way through one switch [s]
  double spine_latency = 0;  ///< more for a way over the spine [s]
};

/// Relative standard deviations and probabilities, drawn for each cluster.
struct Noise {
  double epoch_jitter = 0;      ///< log-normal sigma of one epoch's median
  double latency_jitter = 0;    ///< of latencies
  double run_offset = 0;        ///< of what all figures of one kind in one epoch have in common
  double unit_spread = 0;       ///< how sound NICs and NVLink ports differ
  double card_spread = 0;       ///< how sound cards differ in their memory and PCIe
  double pair_spread = 0;       ///< how sound paths differ
  double latency_spread = 0;    ///< the same for latencies
  double straggler_chance = 0;  ///< an epoch of a pair is far slower
  double straggler_size = 0;    ///< mean of the exponential extra, relative
};

enum class FaultKind {
  nic,           ///< NIC or its path, both ways
  gpu_port,      ///< NVLink port of a GPU, both ways
  gpu_out,       ///< only what it sends
  gpu_path,      ///< between two GPUs of a node
  node_fabric,   ///< NVLink of a whole node
  node_network,  ///< all NICs of a node
  node_latency,  ///< a node answers late
  rail,          ///< all NICs of one number
  uplink,        ///< what leaves a leaf
  network_path,  ///< between two NICs
  host_link,     ///< PCIe of a GPU
  card_memory,   ///< memory rate of a GPU
  late_rank,     ///< arrives late in collectives
};
inline constexpr int fault_kinds = 13;
std::string name_of(FaultKind kind);

struct Fault {
  FaultKind kind = FaultKind::nic;
  int node = -1, unit = -1, other_node = -1, other_unit = -1;  ///< rail: unit; uplink: node is the leaf
  double severity = 0;                                         ///< 0.1: 10 % less rate; of times: 1 / (1 - 0.1) as long
  bool visible = false;  ///< it changes some measured figure by half of its severity
};

struct End {
  int node = 0;
  int unit = 0;
};
struct Pair {
  End a, b;
};

class Cluster {
 public:
  /// Draws shape and noise. With `faulty`, 1 to 3 faults of kinds that the shape can have.
  Cluster(std::uint64_t seed, int nodes, bool faulty);

  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] const Noise& noise() const { return noise_; }
  [[nodiscard]] const std::vector<Fault>& faults() const { return faults_; }
  /// A last node that would hang on a leaf of its own goes to the one before: alone behind a spine, it could not be
  /// told from a node that answers late.
  [[nodiscard]] int leaf_of(int node) const {
    const bool lone = node == shape_.nodes - 1 && node % shape_.nodes_per_leaf == 0 && node > 0;
    return (lone ? node - 1 : node) / shape_.nodes_per_leaf;
  }

  /// Pairs of one round at once: [pair][epoch], in B/s or s. Directed copies go from a to b.
  std::vector<std::vector<double>> copies_in_nodes(const std::vector<Pair>& pairs, int epochs);
  std::vector<std::vector<double>> exchanges_across(const std::vector<Pair>& pairs, int epochs);
  std::vector<std::vector<double>> latencies_across(const std::vector<Pair>& pairs, int epochs);
  /// Each GPU at once: [GPU over all nodes][epoch].
  std::vector<std::vector<double>> host_copies(int epochs);
  std::vector<std::vector<double>> memory_rates(int epochs);
  /// One blocking collective, timed by each rank from its own entry to its own return: [rank][iteration], s.
  std::vector<std::vector<double>> collective(int iterations);

 private:
  using Values = std::vector<double>;

  void draw_shape(int nodes);
  void draw_noise();
  void draw_faults();
  [[nodiscard]] bool possible(FaultKind kind) const;
  [[nodiscard]] Fault placed(FaultKind kind);

  /// What a fault leaves of a rate; 1 without one. `skip`: index of a fault that is thought away.
  [[nodiscard]] double left(FaultKind kind, int node, int unit, int other_node, int other_unit, int skip) const;
  [[nodiscard]] double in_node_rate(const Pair& pair, int skip) const;
  [[nodiscard]] Values across_rates(const std::vector<Pair>& pairs, int skip) const;
  void share_uplinks(const std::vector<Pair>& pairs, Values& rates) const;
  [[nodiscard]] double latency(const Pair& pair, int skip) const;
  [[nodiscard]] double spread_of(const std::string& what, int a, int b, double sigma) const;

  /// Marks the faults that change one of the values: `without(i)` gives them with fault i thought away.
  template <class Without>
  void mark_visible(const Values& values, Without&& without);
  std::vector<Values> noisy(const Values& values, int epochs, double jitter, double direction);
  double normal() { return std::normal_distribution<double>()(random_); }
  double between(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  int below(int bound) { return std::uniform_int_distribution<int>(0, bound - 1)(random_); }

  std::uint64_t seed_;
  std::mt19937_64 random_;
  Shape shape_;
  Noise noise_;
  std::vector<Fault> faults_;
};

}  // namespace trial
