#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/group.hpp"
#include "inventory/facts.hpp"
#include "inventory/gpus.hpp"
#include "inventory/system_root.hpp"
#include "launcher/run/placement.hpp"
#include "launcher/run/plan.hpp"
#include "launcher/run/telemetry.hpp"
#include "launcher/run/telemetry_rules.hpp"
#include "results/writer.hpp"

namespace assay {

/// GPUs by the driver's library, and NICs by the kernel's counters. `root` must outlive it.
[[nodiscard]] std::unique_ptr<TelemetrySource> node_telemetry(const SystemRoot& root, const GpuLibrary& gpus,
                                                              const NodeFacts& facts);

/// The telemetry of all nodes beside the series of a run: read on the first rank of each node, kept by rank 0. The
/// constructor, collect() and finish() are collective over the world.
class RunTelemetry {
 public:
  /// `source`: null on ranks that read nothing. `origin`: when the run started, on this host's clock (monotonic
  /// seconds). `writer` is null on all ranks but 0.
  RunTelemetry(Group& world, const Placement& placement, std::unique_ptr<TelemetrySource> source, double origin,
               results::Writer* writer);

  /// The border of a series.
  void mark();
  /// Brings everything since the last call to the file. On rank 0 the flags of each set of `planned` come back.
  std::vector<std::uint32_t> collect(const PlannedPoint& planned, TelemetryWindow window);
  /// As collect(), with what telemetry itself has cost.
  void finish();

 private:
  std::vector<results::TelemetryRow> gather(std::vector<results::TelemetryRow> rows,
                                            const std::vector<std::pair<double, std::string>>& happenings);
  [[nodiscard]] Telemetry::Harvest harvest();

  Group& world_;
  const Placement& placement_;
  double origin_;
  results::Writer* writer_;
  std::unique_ptr<Telemetry> telemetry_;
  bool active_;  ///< any rank reads something
};

}  // namespace assay
