#include "inventory/cpu.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "core/layout.hpp"
#include "inventory/text.hpp"
#include "inventory/usage.hpp"

namespace assay {
namespace {

using Cpus = Fact<std::vector<int>>;

struct Process {
  std::string name;
  std::int64_t parent = 0;
  std::vector<int> cpus;
};

std::optional<Process> read_process(const SystemRoot& root, const std::string& id) {
  const auto status = root.read("/proc/" + id + "/status").value_or("");
  const auto cpus = parse_cpu_list(field(status, "Cpus_allowed_list").value_or(""));
  if (!cpus || cpus->empty()) return std::nullopt;
  return Process{field(status, "Name").value_or(""), parse_integer(field(status, "PPid").value_or("")).value_or(0),
                 *cpus};
}

/// Names of processes that start ranks and may bind them (Open MPI and PRRTE, MPICH and Intel MPI, Slurm, PALS, Flux).
/// The kernel cuts names to 15 characters.
bool is_launcher(std::string_view name) {
  constexpr std::array<std::string_view, 12> launchers{
      "mpirun",        "mpiexec",       "orterun",    "orted",           "prterun", "prted",
      "mpiexec.hydra", "mpiexec.mpich", "slurmstepd", "hydra_pmi_proxy", "palsd",   "flux-shell"};
  return std::find(launchers.begin(), launchers.end(), name) != launchers.end();
}

struct Launcher {
  std::string text;  ///< "mpirun (pid 7)"
  std::vector<int> cpus;
};

std::optional<Launcher> find_launcher(const SystemRoot& root, const Process& self) {
  constexpr int deepest = 64;
  auto id = self.parent;
  for (int depth = 0; id > 1 && depth < deepest; ++depth) {
    const auto process = read_process(root, std::to_string(id));
    if (!process) return std::nullopt;
    if (is_launcher(process->name)) return Launcher{fmt::format("{} (pid {})", process->name, id), process->cpus};
    id = process->parent;
  }
  return std::nullopt;
}

Cpus read_online(const SystemRoot& root) {
  const auto text = root.read("/sys/devices/system/cpu/online");
  if (!text.known()) return Cpus::unknown(text.why());
  const auto cpus = parse_cpu_list(text.value());
  if (!cpus || cpus->empty()) return Cpus::unknown("/sys/devices/system/cpu/online: no list of CPUs");
  return *cpus;
}

Fact<std::string> read_model(const SystemRoot& root) {
  const auto info = root.read("/proc/cpuinfo");
  if (!info.known()) return info;
  for (const auto* key : {"model name", "cpu model", "cpu"}) {
    if (auto model = field(info.value(), key)) return *model;
  }
  // ARM names only codes.
  const auto implementer = field(info.value(), "CPU implementer");
  const auto part = field(info.value(), "CPU part");
  if (implementer && part) return fmt::format("implementer {} part {}", *implementer, *part);
  return Fact<std::string>::unknown("/proc/cpuinfo names no model");
}

Fact<std::string> read_governor(const SystemRoot& root, const Cpus& online) {
  std::map<std::string, int> counts;
  for (const int cpu : online.value_or({})) {
    const auto governor = root.read(fmt::format("/sys/devices/system/cpu/cpu{}/cpufreq/scaling_governor", cpu));
    if (governor.known()) ++counts[governor.value()];
  }
  if (counts.empty()) return Fact<std::string>::unknown("the kernel shows no frequency governor");
  if (counts.size() == 1) return counts.begin()->first;
  std::string text;
  for (const auto& [governor, count] : counts) {
    text += fmt::format("{}{} on {} CPUs", text.empty() ? "" : ", ", governor, count);
  }
  return text;
}

Fact<double> read_steal_share(const SystemRoot& root) {
  const auto times = UsageProbe(root).cpu_times();
  if (!times.known()) return Fact<double>::unknown(times.why());
  return times.value().steal / times.value().total;
}

}  // namespace

CpuGrant read_cpu_grant(const SystemRoot& root, const CgroupLimits& limits) {
  CpuGrant grant;
  grant.online = read_online(root);
  grant.quota = limits.cpu_quota;
  const auto self = read_process(root, "self");
  if (!self) {
    grant.bound = Cpus::unknown("/proc/self/status: no Cpus_allowed_list");
    grant.granted = grant.bound;
    return grant;
  }
  grant.bound = self->cpus;
  const auto launcher = find_launcher(root, *self);
  auto granted = launcher ? launcher->cpus : self->cpus;
  grant.basis = launcher ? "affinity of " + launcher->text : "affinity of this process, no launcher found";
  if (limits.cpuset.known()) {
    granted = intersection(granted, limits.cpuset.value());
    grant.basis += fmt::format(", cgroup cpuset {}", format_ranks(limits.cpuset.value()));
  }
  if (grant.online.known()) granted = intersection(granted, grant.online.value());
  // What the process runs on was granted, whatever else was read.
  std::vector<int> all;
  std::set_union(granted.begin(), granted.end(), self->cpus.begin(), self->cpus.end(), std::back_inserter(all));
  grant.granted = all;
  return grant;
}

CpuFacts read_cpu(const SystemRoot& root, const CgroupLimits& limits, const Topology& topology) {
  CpuFacts cpu;
  cpu.grant = read_cpu_grant(root, limits);
  cpu.model = read_model(root);
  if (cpu.grant.online.known()) {
    cpu.threads = static_cast<std::int64_t>(cpu.grant.online.value().size());
  } else {
    cpu.threads = Fact<std::int64_t>::unknown(cpu.grant.online.why());
  }
  cpu.sockets = topology.sockets;
  cpu.cores = topology.cores;
  cpu.numa_nodes = topology.numa_nodes;
  cpu.governor = read_governor(root, cpu.grant.online);
  cpu.steal_share = read_steal_share(root);
  return cpu;
}

}  // namespace assay
