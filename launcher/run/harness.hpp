#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "launcher/run/node_probe.hpp"
#include "launcher/run/placement.hpp"
#include "launcher/run/plan.hpp"
#include "launcher/run/recorder.hpp"
#include "launcher/run/run_telemetry.hpp"
#include "launcher/run/sampler.hpp"

namespace assay {

/// Told on rank 0 about every series as soon as it is safe in the file.
using SeriesDone = std::function<void(const PlannedPoint&, int epoch, const std::vector<Recorded>&)>;

struct HarnessSetup {
  Group& world;
  const Placement& placement;
  const RunOptions& options;
  std::map<std::string, std::string> settings;
  PhaseBoard& board;
  NodeProbe& probe;
  RunTelemetry& telemetry;
  Recorder& recorder;
  Device* device;  ///< this rank's GPU; null when it has none
  std::function<bool()> stop_requested;
  double run_start = 0;  ///< monotonic seconds that times are counted from
  SeriesDone done;
};

/// Runs epochs of a plan through Google Benchmark. All ranks make the same calls in the same order.
class Harness {
 public:
  explicit Harness(HarnessSetup setup);
  ~Harness();

  /// False when somebody asked to stop: the series under way is dropped.
  [[nodiscard]] bool run_epoch(const Plan& plan, int epoch);

  /// Wall seconds inside warm-up and measuring batches so far, on this rank.
  [[nodiscard]] double measuring_seconds() const { return measuring_seconds_; }

 private:
  struct Pending;
  class Reporter;
  [[nodiscard]] Pending measure(const Plan& plan, const PlannedPoint& planned, int epoch);
  /// What happened around the series that has just ended.
  void look_around(const PlannedPoint& planned, Surroundings& around);
  void record(Pending pending);
  [[nodiscard]] Group* group_for(const RankSets& sets, Group& parent, std::map<RankSets, std::unique_ptr<Group>>& known,
                                 int color);

  HarnessSetup setup_;
  BufferPool buffers_;
  MonotonicClock clock_;
  std::map<RankSets, std::unique_ptr<Group>> set_groups_;
  std::map<RankSets, std::unique_ptr<Group>> node_groups_;
  std::uint64_t series_ = 0;
  bool stopped_ = false;
  double fingerprint_ = -1;  ///< the last one; negative before the first
  double measuring_seconds_ = 0;
};

}  // namespace assay
