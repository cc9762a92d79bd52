#pragma once

#include <string>
#include <utility>
#include <vector>

namespace assay::nccl {

/// Rounds in which every two neighbours of a ring of `members` meet once, each member in one pair of a round at most:
/// 1 for two members, 2 for an even number, 3 for an odd one.
[[nodiscard]] std::vector<std::vector<std::pair<int, int>>> neighbour_rounds(int members);

/// Two neighbours and whether they did an operation together.
struct Link {
  int first = 0;
  int second = 0;
  bool answers = false;
};

/// Who is to blame, by the places of the members: a member that answers neither neighbour while both of these answer
/// somebody; else the pairs that do not answer each other. Empty when all do.
[[nodiscard]] std::string blame(const std::vector<std::string>& places, const std::vector<Link>& links);

}  // namespace assay::nccl
