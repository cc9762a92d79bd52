#pragma once

#include <string>
#include <vector>

namespace assay {

/// Where the ranks of a run sit.
struct Layout {
  std::vector<int> node_of;             ///< node index of each rank; its size is the number of ranks
  std::vector<std::string> node_names;  ///< host name of each node
  std::vector<int> cpus_granted;  ///< CPUs that the cgroup and the job grant on each node (not the launcher's binding)

  [[nodiscard]] int ranks() const { return static_cast<int>(node_of.size()); }
  [[nodiscard]] int nodes() const { return static_cast<int>(node_names.size()); }
  [[nodiscard]] std::vector<int> ranks_on(int node) const;  ///< ascending

  /// `ranks` ranks on one node with `cpus` CPUs, for tests and `assay list`.
  [[nodiscard]] static Layout single_node(int ranks, int cpus);
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

/// Round-robin tournament (circle method): round r of rounds(n) pairs every member with another, each pair once.
[[nodiscard]] int tournament_rounds(int members);
[[nodiscard]] RankSets tournament_round(int members, int round);

/// "0-3,8" for {0,1,2,3,8}.
[[nodiscard]] std::string format_ranks(const std::vector<int>& ranks);

}  // namespace assay
