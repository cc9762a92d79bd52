#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analysis/catalogue.hpp"
#include "analysis/verdict.hpp"
#include "tests/analysis/synthetic.hpp"

namespace assay::test {

/// A run on a GPU cluster with known truth. Made healthy; deviations are planted before `run()` is asked for.
class GpuCluster {
 public:
  /// One rank per GPU. NVLink products have all their links; others reach each other over PCIe.
  GpuCluster(const std::string& product, int nodes, int gpus_per_node);

  results::GpuRow& gpu(int node, int gpu);
  results::NicRow& nic(int node, int nic);

  /// Shares of the healthy figure, 1 unless set, of one GPU (by world rank), pair or NIC.
  std::map<std::string, std::map<int, double>> compute;  ///< by data type; "" for all
  std::map<int, double> memory;                          ///< device memory bandwidth
  std::map<int, double> to_device;
  std::map<int, double> to_host;
  double at_once = 1;                          ///< host copies while all GPUs copy
  bool copies_alone = true;                    ///< whether each GPU's copies were measured alone, too
  std::map<std::pair<int, int>, double> pair;  ///< peer copies, lower rank first
  std::map<int, double> links;                 ///< peer copies of all pairs of one GPU
  std::map<int, double> nics;                  ///< traffic of one GPU with other nodes
  std::map<int, double> node_all_reduce;       ///< by node
  std::map<int, double> allocatable;           ///< memory, by world rank
  double all_reduce_all = 1;
  std::string node_method = "NVLS/Simple, 16 channels, P2P/CUMEM, NCCL 2.28.9";
  std::string all_method = "Ring/Simple, 16 channels, P2P/CUMEM + NET/IB GDR mlx5_0-7, NCCL 2.28.9";

  /// What telemetry shows under load (idle readings are always there too).
  struct Load {
    double clock_share = 1;  ///< of the product's tensor boost clock
    double power_share = 0.9;
    int reasons = 0;
  };
  std::map<int, Load> load;  ///< by world rank
  double load_seconds = 80;  ///< of GEMM, all GPUs at once
  bool telemetry = true;

  /// Rows out of the run before it is measured: a card that is not there.
  void remove_gpu(int node, int gpu);

  [[nodiscard]] RunData run();
  /// An offer that says what the data sheet and the public figures of healthy nodes say.
  [[nodiscard]] std::string offer() const;
  /// `run()` by `offer()`.
  [[nodiscard]] Judgement judged() { return judge(run(), offer()); }

 private:
  void measure_compute(SyntheticRun& run) const;
  void measure_memory(SyntheticRun& run) const;
  void measure_copies(SyntheticRun& run) const;
  void measure_peers(SyntheticRun& run) const;
  void measure_collectives(SyntheticRun& run) const;
  void measure_pairs(SyntheticRun& run) const;
  void record_telemetry(RunData& data) const;
  [[nodiscard]] std::vector<int> ranks_on(int node) const;
  [[nodiscard]] double peer_share(int a, int b) const;
  [[nodiscard]] double node_bus() const;  ///< all-reduce in a node, byte/s
  [[nodiscard]] double all_bus() const;   ///< over all nodes

  const Product& product_;
  int nodes_;
  int per_node_;
  RunData data_;
};

/// Keys of the clauses that did not pass, in the order of the offer.
[[nodiscard]] std::vector<std::string> not_passed(const Judgement& judgement);
/// The verdict of one clause.
[[nodiscard]] const Verdict& verdict_of(const Judgement& judgement, const std::string& key);

}  // namespace assay::test
