#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/case.hpp"
#include "core/stop_rule.hpp"
#include "launcher/watch/phase_board.hpp"

namespace assay {

enum class SeriesStatus { ok, wrong_data, failed, too_slow, interrupted };

[[nodiscard]] std::string_view to_string(SeriesStatus status);

/// What one rank brings home from one series. Status, counts and times of the set are the same on all its ranks.
struct Sampled {
  SeriesStatus status = SeriesStatus::ok;
  std::string failure;          ///< this rank's own words, when it was the one that failed
  std::vector<double> seconds;  ///< own timed iterations
  Work work;
  std::string method;  ///< this rank's words about how it was done
  Check check;         ///< summed over the set; `first` is this rank's own
  StopReason stop = StopReason::go_on;
  double measured_seconds = 0;  ///< inside timed iterations, this rank
  double batch_seconds = 0;     ///< timed iterations with their alignment, this rank
  double warmup_seconds = 0;
  double setup_seconds = 0;  ///< make and verify
};

/// The groups that a series needs.
struct SetGroups {
  Group& set;        ///< the ranks that work together
  Group& same_node;  ///< those of them on this rank's node, which share a clock
};

/// Longest time that a phase may take.
struct PhaseLimits {
  Seconds measuring;  ///< one batch, or the verification
  Seconds set_up;
};

/// Measures one case at one point within one set of ranks. Every decision is agreed by the set, so that all leave
/// alike.
class Sampler {
 public:
  Sampler(SetGroups groups, PhaseBoard& board, StopRule rule, PhaseLimits limits, std::function<bool()> stop_requested)
      : groups_(groups), board_(board), rule_(rule), limits_(limits), stop_requested_(std::move(stop_requested)) {}

  /// Once per object.
  [[nodiscard]] Sampled measure(const CaseInfo& info, Context& context, const Point& point);

 private:
  struct Batch {
    std::vector<double> starts;
    std::vector<double> seconds;
    double wall_seconds = 0;  ///< begin() to end()
  };
  /// Runs `step`; an Error becomes `failure` on this rank.
  void guarded(Sampled& result, const std::function<void()>& step);
  /// True when every rank of the set is well and nobody asked to stop; sets the agreed status otherwise.
  [[nodiscard]] bool agreed(Sampled& result);

  [[nodiscard]] double warm_up(Sampled& result, const CaseInfo& info, Case& subject);
  void measure_batches(Sampled& result, const CaseInfo& info, Case& subject, double trial_seconds);
  [[nodiscard]] Batch time_batch(const CaseInfo& info, Case& subject, std::uint64_t count);
  /// This rank's seconds as info.timing defines them; then the set's, as info.combine defines.
  [[nodiscard]] std::vector<double> set_seconds(const CaseInfo& info, Batch& batch);
  void verify(Sampled& result, Case& subject);

  SetGroups groups_;
  PhaseBoard& board_;
  StopRule rule_;
  PhaseLimits limits_;
  std::function<bool()> stop_requested_;
};

}  // namespace assay
