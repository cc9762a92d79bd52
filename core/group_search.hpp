#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/layout.hpp"

namespace assay {

/// Narrows down a failure that shows when all members work together: to single members, or to pairs that fail only with
/// each other. The caller lets the groups of a round work at the same time, each on its own, and reports which passed.
///
/// Every failing group is split in halves, all groups in the same round, so that any number of bad members is found in
/// about log2(n) rounds. A group of one cannot communicate, so the last few suspects are tried with members that passed
/// in a group: partners come out of the search, nobody is trusted beforehand. When both halves pass and the whole does
/// not, halves are crossed until one pair is left.
/// Rounds: at most ceil(log2 n) + 2 for bad members, 2 ceil(log2 n) + 4 for a bad pair (when good partners are at hand
/// for all suspects of a round; each further sharing of partners costs one more). Cost: O(n) per round.
/// A failure that shows only at a size, or that comes and goes, ends as undecided. Of several bad pairs between the
/// same halves, one may hide the others: repair, and ask again.
class GroupSearch {
 public:
  struct Findings {
    std::vector<int> members;                ///< fail with two different good partners
    std::vector<std::pair<int, int>> pairs;  ///< fail together, while each works with others
    RankSets undecided;                      ///< the failure is somewhere in each of these
  };

  /// Members 0 to n - 1 failed together. The seed deals the halves.
  GroupSearch(int members, std::uint64_t seed);

  /// The disjoint groups of the next round, each of at least two; empty when nothing is left to be asked.
  [[nodiscard]] RankSets next();
  /// Whether each group of next() passed. Throws Error(environment) when their number differs.
  void report(const std::vector<bool>& passed);

  [[nodiscard]] int rounds() const { return rounds_; }
  /// Sorted. Complete once next() is empty.
  [[nodiscard]] Findings findings() const;

 private:
  /// One question of the search: its groups in this round and what to do with the answers.
  struct Task {
    enum class Kind { split, cross, partner, trio } kind = Kind::split;
    std::vector<int> first = {};     ///< split: the failing group; cross: one passing half; partner, trio: the suspects
    std::vector<int> second = {};    ///< cross: the other half
    int turn = 0;                    ///< cross: 0 straight, 1 crosswise; trio: which pair of it
    std::vector<int> failures = {};  ///< partner: of each suspect
    std::vector<int> tries = {};
    std::vector<int> last_partner = {};
    RankSets asked = {};
  };

  static void ask(Task& task, std::vector<int>& partners);
  [[nodiscard]] std::vector<int> free_partners() const;
  void answer(const Task& task, const std::vector<bool>& passed);
  void answer_split(const Task& task, const std::vector<bool>& passed);
  void answer_cross(const Task& task, const std::vector<bool>& passed);
  void answer_partner(Task task, const std::vector<bool>& passed);
  void answer_trio(Task task, bool passed);
  void settle(const Task& task);
  void suspect(std::vector<int> group);
  void cross(std::vector<int> first, std::vector<int> second);

  std::vector<Task> tasks_;
  std::vector<bool> cleared_;  ///< passed in some group
  Findings findings_;
  int rounds_ = 0;
};

}  // namespace assay
