#include "inventory/cgroup.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>

#include "tests/inventory/planted_root.hpp"

namespace assay {
namespace {

using assay::testing::PlantedRoot;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr auto unified_mount =
    "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
    "30 22 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate";

TEST(CgroupV2, TakesTheTightestLimitUpToTheTop) {
  PlantedRoot root;
  root.write("/proc/self/mountinfo", unified_mount);
  root.write("/proc/self/cgroup", "0::/system.slice/slurm/job_7/step_0");
  root.write("/sys/fs/cgroup/system.slice/slurm/job_7/step_0/memory.max", "max");
  root.write("/sys/fs/cgroup/system.slice/slurm/job_7/step_0/cpu.max", "max 100000");
  root.write("/sys/fs/cgroup/system.slice/slurm/job_7/memory.max", "8589934592");
  root.write("/sys/fs/cgroup/system.slice/slurm/job_7/cpu.max", "350000 100000");
  root.write("/sys/fs/cgroup/system.slice/memory.max", "17179869184");
  root.write("/sys/fs/cgroup/system.slice/slurm/job_7/step_0/cpuset.cpus.effective", "4-7");
  root.write("/sys/fs/cgroup/cpuset.cpus.effective", "0-15");
  const auto limits = read_cgroup_limits(root);
  EXPECT_EQ(limits.memory.value(), 8589934592.0);
  EXPECT_DOUBLE_EQ(limits.cpu_quota.value(), 3.5);
  EXPECT_THAT(limits.cpuset.value(), ElementsAre(4, 5, 6, 7));
}

TEST(CgroupV2, ContainerSeesItsOwnGroupAsTop) {
  PlantedRoot root;
  root.write("/proc/self/mountinfo", unified_mount);
  root.write("/proc/self/cgroup", "0::/");
  root.write("/sys/fs/cgroup/memory.max", "2147483648");
  root.write("/sys/fs/cgroup/cpu.max", "50000 100000");
  root.write("/sys/fs/cgroup/cpuset.cpus.effective", "0-1");
  const auto limits = read_cgroup_limits(root);
  EXPECT_EQ(limits.memory.value(), 2147483648.0);
  EXPECT_DOUBLE_EQ(limits.cpu_quota.value(), 0.5);
  EXPECT_THAT(limits.cpuset.value(), ElementsAre(0, 1));
}

TEST(CgroupV2, TopGroupWithoutFilesHasNoLimits) {
  PlantedRoot root;
  root.write("/proc/self/mountinfo", unified_mount);
  root.write("/proc/self/cgroup", "0::/");
  root.directory("/sys/fs/cgroup");
  const auto limits = read_cgroup_limits(root);
  EXPECT_TRUE(std::isinf(limits.memory.value()));
  EXPECT_TRUE(std::isinf(limits.cpu_quota.value()));
  EXPECT_FALSE(limits.cpuset.known());
}

constexpr std::string_view v1_mounts =
    "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
    "31 22 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n"
    "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
    "34 31 0:31 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
    "35 31 0:32 {memory_root} /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n";

std::string with_memory_root(std::string_view mount_root) {
  return fmt::format(v1_mounts, fmt::arg("memory_root", mount_root));
}

TEST(CgroupV1, ReadsEachControllersOwnHierarchy) {
  PlantedRoot root;
  root.write("/proc/self/mountinfo", with_memory_root("/"));
  root.write("/proc/self/cgroup", "4:memory:/slurm/job_7\n3:cpuset:/slurm/job_7\n2:cpu,cpuacct:/slurm\n0::/");
  root.write("/sys/fs/cgroup/memory/slurm/job_7/memory.limit_in_bytes", "4294967296");
  root.write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712");
  root.write("/sys/fs/cgroup/cpuset/slurm/job_7/cpuset.cpus", "2,3");
  root.write("/sys/fs/cgroup/cpuset/cpuset.cpus", "0-7");
  root.write("/sys/fs/cgroup/cpu,cpuacct/slurm/cpu.cfs_quota_us", "-1");
  root.write("/sys/fs/cgroup/cpu,cpuacct/slurm/cpu.cfs_period_us", "100000");
  const auto limits = read_cgroup_limits(root);
  EXPECT_EQ(limits.memory.value(), 4294967296.0);
  EXPECT_THAT(limits.cpuset.value(), ElementsAre(2, 3));
  EXPECT_TRUE(std::isinf(limits.cpu_quota.value()));
}

TEST(CgroupV1, ContainerWithTheHostsGroupNamesReadsItsMount) {
  PlantedRoot root;
  root.write("/proc/self/mountinfo", with_memory_root("/docker/abc"));
  root.write("/proc/self/cgroup", "4:memory:/docker/abc\n3:cpuset:/docker/abc\n2:cpu,cpuacct:/docker/abc");
  root.write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "1073741824");
  root.write("/sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.cfs_quota_us", "150000");
  root.write("/sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.cfs_period_us", "100000");
  const auto limits = read_cgroup_limits(root);
  EXPECT_EQ(limits.memory.value(), 1073741824.0);
  EXPECT_DOUBLE_EQ(limits.cpu_quota.value(), 1.5);
}

TEST(Cgroup, MissingFilesAreUnknownAndSayWhy) {
  PlantedRoot root;
  auto limits = read_cgroup_limits(root);
  EXPECT_FALSE(limits.memory.known());
  EXPECT_FALSE(limits.cpu_quota.known());
  EXPECT_THAT(limits.memory.why(), HasSubstr("/proc/self/cgroup"));
  root.write("/proc/self/cgroup", "0::/");
  limits = read_cgroup_limits(root);
  EXPECT_THAT(limits.memory.why(), HasSubstr("not mounted"));
}

}  // namespace
}  // namespace assay
