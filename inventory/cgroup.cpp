#include "inventory/cgroup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>

#include "inventory/mounts.hpp"
#include "inventory/text.hpp"

namespace assay {
namespace {

constexpr double no_limit = std::numeric_limits<double>::infinity();

/// Where a controller's files of this process lie, innermost first.
struct Directories {
  bool unified = false;  ///< version 2
  std::vector<std::string> paths;
};

bool has_item(std::string_view list, std::string_view item) {
  const auto items = split(list, ',');
  return std::find(items.begin(), items.end(), item) != items.end();
}

/// The mounted hierarchy's directories from `group` up to the mount point. A group outside of what is mounted (seen
/// from within a container) leaves the mount point, which then is the container's own group.
std::vector<std::string> chain(const Mount& mount, const std::string& group) {
  std::string below = lies_in(group, mount.root) ? group.substr(mount.root == "/" ? 0 : mount.root.size()) : "";
  std::vector<std::string> paths;
  while (!below.empty() && below != "/") {
    paths.push_back(mount.point + below);
    below.erase(below.rfind('/'));
  }
  paths.push_back(mount.point);
  return paths;
}

Fact<Directories> directories(const SystemRoot& root, std::string_view controller) {
  const auto groups = root.read("/proc/self/cgroup");
  if (!groups.known()) return Fact<Directories>::unknown(groups.why());
  std::string group_v1, group_v2;
  for (const auto& line : split(groups.value(), '\n')) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const auto controllers = line.substr(first + 1, second - first - 1);
    if (has_item(controllers, controller)) group_v1 = line.substr(second + 1);
    if (controllers.empty()) group_v2 = line.substr(second + 1);
  }
  const bool unified = group_v1.empty();
  for (const auto& mount : read_mounts(root)) {
    const bool fits =
        unified ? mount.file_system == "cgroup2" : mount.file_system == "cgroup" && has_item(mount.options, controller);
    if (fits) return Directories{unified, chain(mount, unified ? group_v2 : group_v1)};
  }
  return Fact<Directories>::unknown(fmt::format("the cgroup file system of '{}' is not mounted", controller));
}

/// The smallest limit over the chain; infinity when none is set.
Fact<double> tightest(const Fact<Directories>& where,
                      const std::function<double(const Directories&, const std::string&)>& limit) {
  if (!where.known()) return Fact<double>::unknown(where.why());
  double smallest = no_limit;
  for (const auto& path : where.value().paths) smallest = std::min(smallest, limit(where.value(), path));
  return smallest;
}

double memory_limit(const SystemRoot& root, const Directories& where, const std::string& path) {
  const auto limit = root.read_integer(path + (where.unified ? "/memory.max" : "/memory.limit_in_bytes"));
  // Version 1 writes "no limit" as the largest multiple of the page size, version 2 as "max".
  constexpr std::int64_t absurd = std::int64_t{1} << 60;
  return limit.known() && limit.value() < absurd ? static_cast<double>(limit.value()) : no_limit;
}

double quota_limit(const SystemRoot& root, const Directories& where, const std::string& path) {
  std::optional<std::int64_t> quota, period;
  if (where.unified) {
    const auto fields = words(root.read(path + "/cpu.max").value_or(""));
    if (fields.size() == 2) {
      quota = parse_integer(fields[0]);
      period = parse_integer(fields[1]);
    }
  } else {
    quota = root.read_integer(path + "/cpu.cfs_quota_us").value_or(-1);
    period = root.read_integer(path + "/cpu.cfs_period_us").value_or(0);
  }
  if (!quota || !period || *quota <= 0 || *period <= 0) return no_limit;
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

Fact<std::vector<int>> read_cpuset(const SystemRoot& root) {
  using Cpus = Fact<std::vector<int>>;
  const auto where = directories(root, "cpuset");
  if (!where.known()) return Cpus::unknown(where.why());
  const std::vector<std::string> files = where.value().unified
                                             ? std::vector<std::string>{"/cpuset.cpus.effective"}
                                             : std::vector<std::string>{"/cpuset.effective_cpus", "/cpuset.cpus"};
  for (const auto& path : where.value().paths) {
    for (const auto& file : files) {
      const auto cpus = parse_cpu_list(root.read(path + file).value_or(""));
      if (cpus && !cpus->empty()) return *cpus;
    }
  }
  return Cpus::unknown("no cpuset is set up in the cgroup");
}

}  // namespace

CgroupLimits read_cgroup_limits(const SystemRoot& root) {
  CgroupLimits limits;
  limits.cpuset = read_cpuset(root);
  limits.cpu_quota = tightest(directories(root, "cpu"), [&](const Directories& where, const std::string& path) {
    return quota_limit(root, where, path);
  });
  limits.memory = tightest(directories(root, "memory"), [&](const Directories& where, const std::string& path) {
    return memory_limit(root, where, path);
  });
  return limits;
}

}  // namespace assay
