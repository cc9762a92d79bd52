#include "inventory/usage.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <limits>

#include "core/clock.hpp"
#include "inventory/text.hpp"

namespace assay {
namespace {

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

}  // namespace

Fact<CpuTimes> UsageProbe::cpu_times() const {
  // user nice system idle iowait irq softirq steal; guest time is part of user already.
  enum Column { user, nice, system, idle, iowait, irq, softirq, steal, columns };
  const auto text = root_->read("/proc/stat");
  if (!text.known()) return Fact<CpuTimes>::unknown(text.why());
  const auto fields = words(std::string_view(text.value()).substr(0, text.value().find('\n')));
  if (fields.size() <= columns || fields[0] != "cpu") return Fact<CpuTimes>::unknown("/proc/stat: no line of all CPUs");
  std::array<double, columns> seconds{};
  const auto ticks_per_second = static_cast<double>(sysconf(_SC_CLK_TCK));
  for (std::size_t column = 0; column < columns; ++column) {
    const auto ticks = parse_integer(fields[column + 1]);
    if (!ticks) return Fact<CpuTimes>::unknown("/proc/stat: no number: " + fields[column + 1]);
    seconds[column] = static_cast<double>(*ticks) / ticks_per_second;
  }
  const double busy = seconds[user] + seconds[nice] + seconds[system] + seconds[irq] + seconds[softirq];
  return CpuTimes{busy, seconds[steal], busy + seconds[steal] + seconds[idle] + seconds[iowait]};
}

UsageSnapshot UsageProbe::snapshot() const {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  UsageSnapshot snapshot;
  rusage own{};
  getrusage(RUSAGE_SELF, &own);
  snapshot.time = monotonic_seconds();
  snapshot.own_seconds = seconds_of(own.ru_utime) + seconds_of(own.ru_stime);
  snapshot.involuntary_switches = own.ru_nivcsw;
  snapshot.node = cpu_times().value_or({nan, nan, nan});
  return snapshot;
}

UsageDelta usage_between(const UsageSnapshot& before, const UsageSnapshot& after, double own_seconds_on_node) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  UsageDelta delta{nan, nan, nan, after.involuntary_switches - before.involuntary_switches};
  const double elapsed = after.time - before.time;
  if (elapsed > 0) {
    const double others = (after.node.busy - before.node.busy - own_seconds_on_node) / elapsed;
    delta.competing_cpus = others < 0 ? 0 : others;
    delta.own_cpus = own_seconds_on_node / elapsed;
  }
  const double total = after.node.total - before.node.total;
  if (total > 0) delta.steal_share = (after.node.steal - before.node.steal) / total;
  return delta;
}

}  // namespace assay
