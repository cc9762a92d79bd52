#include "launcher/run/node_probe.hpp"

#include <cmath>
#include <limits>

#include "inventory/fingerprint.hpp"

namespace assay {

namespace {

// Long enough for thousands of round trips, short enough to stand beside every series.
constexpr Seconds fingerprint_duration{0.002};

}  // namespace

double max_known(Group& group, double value) {
  // MPI leaves the maximum of NaN undefined.
  const double known = max_over(group, std::isnan(value) ? -std::numeric_limits<double>::infinity() : value);
  return std::isinf(known) ? std::numeric_limits<double>::quiet_NaN() : known;
}

double NodeProbe::fingerprint() {
  double seconds = std::numeric_limits<double>::quiet_NaN();
  const auto& cpus = placement_.granted_cpus;
  if (placement_.local_rank == 0 && cpus.size() >= 2)
    seconds = cache_line_latency(cpus.front(), cpus.back(), fingerprint_duration).value;
  world_.quiet_barrier();
  return max_known(world_, seconds);
}

void NodeProbe::start() { before_ = usage_.snapshot(); }

Disturbance NodeProbe::stop() {
  const UsageSnapshot after = usage_.snapshot();
  const double own = sum_over(*placement_.on_node, after.own_seconds - before_.own_seconds);
  const UsageDelta delta = usage_between(before_, after, own);
  return {max_known(world_, delta.competing_cpus), max_known(world_, delta.steal_share), delta.involuntary_switches};
}

}  // namespace assay
