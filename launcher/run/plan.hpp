#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/case.hpp"
#include "core/registry.hpp"
#include "core/stop_rule.hpp"
#include "launcher/run/options.hpp"

namespace assay {

/// One point of one case that will be measured in every epoch.
struct PlannedPoint {
  const CaseInfo* info = nullptr;
  Point point;
  RankSets sets;
};

/// A case that was asked for and cannot run here.
struct NotApplicable {
  std::string name;
  std::string reason;
};

/// What will be measured, for how long. The same on all ranks, since it depends only on agreed values.
struct Plan {
  std::vector<PlannedPoint> points;  ///< sizes climb: order of epoch 0
  std::vector<NotApplicable> left_out;
  int epochs = 0;
  Seconds per_series{0};       ///< measured time that a series may take in one epoch
  Seconds predicted{0};        ///< wall time of all epochs, set-up included
  Seconds deadline{0};         ///< longest time a phase may take before the run is ended
  Seconds set_up_deadline{0};  ///< the same for preparing data: files are written in full there, on slow disks too

  [[nodiscard]] bool needs_blas() const;
  /// Stop rule of one series in one epoch.
  [[nodiscard]] StopRule stop_rule(double precision) const;
  /// Order of the points in an epoch: as planned in epoch 0, then shuffled by the seed.
  [[nodiscard]] std::vector<std::size_t> order(int epoch, std::uint64_t seed) const;
  /// Shortens per_series when the epochs done took longer than planned, so that the rest fits into the budget.
  void adapt(int epochs_done, Seconds spent, Seconds measured, Seconds budget);
};

/// "mpi.ping_pong/bytes:8/between:node": what --filter is searched in.
[[nodiscard]] std::string series_name(const CaseInfo& info, const Point& point);

/// The points as text, a line each, and back: rank 0 decides for all, since hosts may offer different engines.
[[nodiscard]] std::string points_text(const Plan& plan);
/// Throws Error(environment) when a line names no case of the registry.
[[nodiscard]] std::vector<PlannedPoint> parse_points(const std::string& text, const Registry& registry,
                                                     const Layout& layout);

/// Throws Error(bad_input) when the filter leaves nothing that can run here, naming the reasons.
[[nodiscard]] Plan make_plan(const Registry& registry, const RunOptions& options, const Layout& layout);

}  // namespace assay
