#pragma once

#include <string>
#include <vector>

namespace assay {

/// A GPU as a rank's CUDA shows it. Two entries are the same when bus id and UUID are: parts of a partitioned card
/// share the bus id only.
struct VisibleGpu {
  std::string bus_id;
  std::string uuid;
  bool operator==(const VisibleGpu&) const = default;
};

/// What one rank of a node can choose from.
struct RankView {
  int rank = 0;  ///< in the world
  std::vector<VisibleGpu> visible;
  std::vector<int> bound;   ///< CPUs that the launcher bound it to; empty: not known
  bool restricted = false;  ///< CUDA_VISIBLE_DEVICES is set
};

/// CPUs near a GPU; empty: not known.
struct NearCpus {
  std::string bus_id;
  std::vector<int> cpus;
};

struct Assignment {
  std::vector<int> chosen;       ///< for each rank of the node: index in its `visible`, or -1
  std::vector<std::string> why;  ///< for each rank without a GPU: one sentence; empty otherwise
  std::string refused;           ///< the launcher has put several ranks on one GPU; empty: it has not
};

/// Gives each rank of a node a GPU of its own, all by bus id and UUID, never by index. As many ranks as can be get one
/// near the CPUs that they are bound to; otherwise the first rank gets the first GPU. `share`: ranks may share GPUs.
[[nodiscard]] Assignment assign_gpus(const std::vector<RankView>& ranks, const std::vector<NearCpus>& near, bool share);

/// Parts of `granted` for the ranks of a node, sizes differing by at most one. A rank takes CPUs of `near` first; what
/// is left over fills the others. Ranks without near CPUs take what is left.
[[nodiscard]] std::vector<std::vector<int>> near_shares(const std::vector<int>& granted,
                                                        const std::vector<std::vector<int>>& near);

}  // namespace assay
