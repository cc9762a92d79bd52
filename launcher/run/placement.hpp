#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/group.hpp"
#include "core/layout.hpp"

namespace assay {

/// Where this rank sits among the others, agreed by all.
struct Placement {
  Layout layout;
  int node = 0;                    ///< this rank's node
  int local_rank = 0;              ///< among the ranks of its node
  std::vector<int> granted_cpus;   ///< CPU numbers granted to the job on this node
  std::vector<int> share;          ///< CPUs that this rank fills in filling cases; empty: it sleeps in those
  std::unique_ptr<Group> on_node;  ///< the ranks of this node
};

/// Collective over the world. `identity` tells hosts apart (host name and boot id: two hosts may share a name).
[[nodiscard]] Placement place_ranks(Group& world, const std::string& host, const std::string& identity,
                                    std::vector<int> granted_cpus);

/// The part of `cpus` that worker `index` of `workers` fills: contiguous, sizes differ by at most one.
[[nodiscard]] std::vector<int> share_of(const std::vector<int>& cpus, int index, int workers);

}  // namespace assay
