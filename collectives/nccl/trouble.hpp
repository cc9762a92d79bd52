#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/group.hpp"

namespace assay::nccl {

/// Keeps a rank's first error until the ranks of a set have agreed on what went wrong: nobody leaves while others wait
/// for it.
class Trouble {
 public:
  /// Runs `step` unless there is trouble already; an exception becomes this rank's trouble.
  void guard(const std::function<void()>& step);
  [[nodiscard]] explicit operator bool() const { return !words_.empty(); }
  [[nodiscard]] const std::string& words() const { return words_; }
  [[nodiscard]] const std::string& hint() const { return hint_; }
  /// The work did not end in time; nothing says that this rank is to blame.
  [[nodiscard]] bool only_late() const { return only_late_; }

 private:
  std::string words_;
  std::string hint_;
  bool only_late_ = false;
};

/// How far a rank came in a batch of operations.
struct Progress {
  std::uint64_t queued = 0;
  std::uint64_t done = 0;
};

/// Collective. True on every rank when any is in trouble.
[[nodiscard]] bool any_trouble(Group& group, const Trouble& trouble);

/// Collective, and to be called by all when any_trouble() is true: throws an Error on every rank. It names the ranks
/// that failed in their own words; where all are only late, the ones that came less far than the others. `place` is
/// how messages name this rank: "rank 22 (GPU 0000:1b:00.0 on node3)". `probe`, when given, is called by all ranks
/// where that names nobody, and its words are added.
[[noreturn]] void throw_together(Group& group, const Trouble& trouble, const std::string& what,
                                 const std::string& place, const Progress& progress,
                                 const std::function<std::string()>& probe = {});

/// Collective: throws on every rank when any is in trouble.
void agree(Group& group, const Trouble& trouble, const std::string& what, const std::string& place);

/// One rank's report, and what all of them together say; for throw_together and its tests.
struct Report {
  std::string place;
  std::string words;  ///< empty: no error of its own
  bool only_late = false;
  Progress progress;
};
[[nodiscard]] std::string diagnosis(const std::vector<Report>& reports);
/// False when all are late alike.
[[nodiscard]] bool names_anybody(const std::vector<Report>& reports);

}  // namespace assay::nccl
