#pragma once

#include <vector>

#include "core/group.hpp"
#include "inventory/usage.hpp"
#include "launcher/run/placement.hpp"

namespace assay {

/// What the machine did besides our work between start() and stop(), worst node of the world. NaN = not measured.
struct Disturbance {
  double competing_cpus = 0;
  double steal_share = 0;
  std::int64_t involuntary_switches = 0;  ///< this rank's
};

/// Fingerprints and usage of the nodes, measured beside the series. All members are collective over the world.
class NodeProbe {
 public:
  NodeProbe(Group& world, const Placement& placement, const UsageProbe& usage)
      : world_(world), placement_(placement), usage_(usage) {}

  /// Seconds for a cache line from one core to another, worst node: one rank of each node measures, the others sleep.
  [[nodiscard]] double fingerprint();

  void start();
  [[nodiscard]] Disturbance stop();

 private:
  Group& world_;
  const Placement& placement_;
  const UsageProbe& usage_;
  UsageSnapshot before_;
};

/// Largest value over the group; NaN on a rank counts as absent, and the result is NaN when all are.
[[nodiscard]] double max_known(Group& group, double value);

}  // namespace assay
