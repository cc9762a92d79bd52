#pragma once

#include <cstdint>

#include "inventory/system_root.hpp"

namespace assay {

/// CPU time of the whole node since boot, in seconds over all CPUs, from the first line of /proc/stat (proc(5)).
struct CpuTimes {
  double busy = 0;   ///< user, nice, system, interrupts
  double steal = 0;  ///< taken by the hypervisor
  double total = 0;  ///< busy, idle, waiting for I/O and stolen
};

/// One moment. Node-wide values are NaN when /proc/stat cannot be read.
struct UsageSnapshot {
  double time = 0;  ///< monotonic seconds of this host
  CpuTimes node;
  double own_seconds = 0;                 ///< CPU time of this process, user and system
  std::int64_t involuntary_switches = 0;  ///< of this process
};

/// What happened between two snapshots. NaN when not known.
struct UsageDelta {
  double competing_cpus = 0;              ///< CPUs kept busy by processes that are not ours, on average; never below 0
  double steal_share = 0;                 ///< stolen CPU time / all CPU time of the node, 0..1
  double own_cpus = 0;                    ///< CPUs that our ranks on the node kept busy, on average
  std::int64_t involuntary_switches = 0;  ///< of this process
};

/// Takes snapshots; about 20 us each on a small node. The kernel counts in steps of 10 ms: over a window of w seconds
/// competing_cpus is uncertain by about 0.03 / w.
class UsageProbe {
 public:
  explicit UsageProbe(const SystemRoot& root) : root_(&root) {}

  [[nodiscard]] UsageSnapshot snapshot() const;
  [[nodiscard]] Fact<CpuTimes> cpu_times() const;

 private:
  const SystemRoot* root_;
};

/// `own_seconds_on_node`: CPU seconds used in between by all our ranks on the node, the sum over ranks of
/// after.own_seconds - before.own_seconds.
[[nodiscard]] UsageDelta usage_between(const UsageSnapshot& before, const UsageSnapshot& after,
                                       double own_seconds_on_node);

}  // namespace assay
