#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace assay {

/// What every GPU of the run can do: the least over all ranks that have one.
struct GpuTraits {
  int capability = 0;                    ///< 10 * major + minor compute capability: 90 for Hopper; 0 without GPUs
  std::int64_t memory_bytes = 0;         ///< free at the start, smallest card
  bool nccl = false;                     ///< NCCL of a version that is of use can be loaded by all of them
  bool mpi_takes_device_memory = false;  ///< MPI says that it is CUDA-aware
  int nccl_version = 0;                  ///< the oldest of them, as NCCL counts: 22809 for 2.28.9; 0 without
};

/// Where the ranks of a run sit.
struct Layout {
  std::vector<int> node_of;             ///< node index of each rank; its size is the number of ranks
  std::vector<std::string> node_names;  ///< host name of each node
  std::vector<int> cpus_granted;  ///< CPUs that the cgroup and the job grant on each node (not the launcher's binding)

  std::vector<int> gpu_of = {};  ///< node's number (PCI order) of each rank's GPU; -1 = none; empty: no rank has one
  std::vector<int> gpus_found =
      {};  ///< GPUs seen on each node, whether a rank uses them or not; empty: none looked for
  GpuTraits gpu = {};

  [[nodiscard]] int ranks() const { return static_cast<int>(node_of.size()); }
  [[nodiscard]] int nodes() const { return static_cast<int>(node_names.size()); }
  [[nodiscard]] std::vector<int> ranks_on(int node) const;  ///< ascending
  [[nodiscard]] bool has_gpu(int rank) const;

  /// `ranks` ranks on one node with `cpus` CPUs, for tests and `assay list`.
  [[nodiscard]] static Layout single_node(int ranks, int cpus);
  /// Equal nodes "node1", ... with a CPU and a GPU of the newest kind for each rank, for listing what could run.
  [[nodiscard]] static Layout with_gpus(int nodes, int ranks_per_node);
};

/// Disjoint sets of ranks that work at the same time, each on its own; ranks in no set sleep.
using RankSets = std::vector<std::vector<int>>;

[[nodiscard]] RankSets everyone(const Layout& layout);
/// Rank 0 alone.
[[nodiscard]] RankSets one_rank(const Layout& layout);
/// One set over all nodes: on each node at most as many ranks as it has CPUs, so that nothing is time-shared.
[[nodiscard]] RankSets filling(const Layout& layout);
/// As `filling`, one set per node.
[[nodiscard]] RankSets filling_each_node(const Layout& layout);
/// The first two ranks of the first node that has two; empty when there is none.
[[nodiscard]] RankSets pair_in_node(const Layout& layout);
/// The first rank of each of the first two nodes; empty with one node.
[[nodiscard]] RankSets pair_across_nodes(const Layout& layout);

/// All ranks that have a GPU; empty when there is none.
[[nodiscard]] RankSets gpu_ranks(const Layout& layout);
/// As `gpu_ranks`, one set per node.
[[nodiscard]] RankSets gpu_ranks_each_node(const Layout& layout);
/// The rank of GPU number `gpu` alone, one set per node.
[[nodiscard]] RankSets gpu_rank_alone(const Layout& layout, int gpu);
/// The ranks with equal GPU number on all nodes, one set per rail (GPU number).
[[nodiscard]] RankSets gpu_rails(const Layout& layout);
/// Largest number of GPU ranks on one node.
[[nodiscard]] int gpus_on_fullest_node(const Layout& layout);

/// Round-robin tournament (circle method): round r of rounds(n) pairs every member with another, each pair once.
[[nodiscard]] int tournament_rounds(int members);
[[nodiscard]] RankSets tournament_round(int members, int round);

/// "0-3,8" for {0,1,2,3,8}.
[[nodiscard]] std::string format_ranks(const std::vector<int>& ranks);

}  // namespace assay
