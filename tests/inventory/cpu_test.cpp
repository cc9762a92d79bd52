#include "inventory/cpu.hpp"

#include <gmock/gmock.h>

#include <limits>

#include "tests/inventory/planted_root.hpp"

namespace assay {
namespace {

using assay::testing::plant_process;
using assay::testing::PlantedRoot;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

CgroupLimits no_limits() {
  return {Fact<std::vector<int>>::unknown("no cpuset"), std::numeric_limits<double>::infinity(),
          std::numeric_limits<double>::infinity()};
}

TEST(CpuGrant, KeepsTheBindingApartFromWhatTheLauncherHad) {
  PlantedRoot root;
  root.write("/sys/devices/system/cpu/online", "0-7");
  plant_process(root, "self", "assay", 20, "2");
  plant_process(root, "20", "bind.sh", 10, "2");
  plant_process(root, "10", "orted", 1, "0-5");
  auto limits = no_limits();
  limits.cpuset = std::vector<int>{0, 1, 2, 3};
  const auto grant = read_cpu_grant(root, limits);
  EXPECT_THAT(grant.bound.value(), ElementsAre(2));
  EXPECT_THAT(grant.granted.value(), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(grant.basis, HasSubstr("orted (pid 10)"));
  EXPECT_THAT(grant.basis, HasSubstr("0-3"));
}

TEST(CpuGrant, LauncherThatWasItselfConfinedGrantsNoMore) {
  PlantedRoot root;
  root.write("/sys/devices/system/cpu/online", "0-7");
  plant_process(root, "self", "assay", 10, "4");
  plant_process(root, "10", "mpirun", 5, "4-5");
  plant_process(root, "5", "bash", 1, "0-7");
  EXPECT_THAT(read_cpu_grant(root, no_limits()).granted.value(), ElementsAre(4, 5));
}

TEST(CpuGrant, WithoutLauncherTheOwnAffinityCounts) {
  PlantedRoot root;
  root.write("/sys/devices/system/cpu/online", "0-7");
  plant_process(root, "self", "assay", 5, "6-7");
  plant_process(root, "5", "bash", 1, "0-7");
  const auto grant = read_cpu_grant(root, no_limits());
  EXPECT_THAT(grant.granted.value(), ElementsAre(6, 7));
  EXPECT_THAT(grant.basis, HasSubstr("no launcher"));
}

TEST(CpuGrant, OfflineCpusAreNotGranted) {
  PlantedRoot root;
  root.write("/sys/devices/system/cpu/online", "0-1");
  plant_process(root, "self", "assay", 10, "0");
  plant_process(root, "10", "slurmstepd", 1, "0-7");
  EXPECT_THAT(read_cpu_grant(root, no_limits()).granted.value(), ElementsAre(0, 1));
}

TEST(CpuGrant, UnreadableStatusIsUnknown) {
  const PlantedRoot root;
  const auto grant = read_cpu_grant(root, no_limits());
  EXPECT_FALSE(grant.granted.known());
  EXPECT_FALSE(grant.bound.known());
  EXPECT_FALSE(grant.online.known());
}

TEST(CpuGrant, LoopOfParentsEnds) {
  PlantedRoot root;
  plant_process(root, "self", "assay", 10, "0");
  plant_process(root, "10", "a", 11, "0-1");
  plant_process(root, "11", "b", 10, "0-1");
  EXPECT_THAT(read_cpu_grant(root, no_limits()).granted.value(), ElementsAre(0));
}

/// 2 sockets x 2 cores x 2 threads, one NUMA node for each socket; siblings are n and n+4.
void plant_topology(PlantedRoot& root) {
  root.write("/sys/devices/system/cpu/online", "0-7");
  root.write("/sys/devices/system/cpu/possible", "0-7");
  root.write("/sys/devices/system/cpu/present", "0-7");
  for (int cpu = 0; cpu < 8; ++cpu) {
    const int core = cpu % 4;
    const int socket = core / 2;
    const auto directory = "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology";
    const std::string siblings = core == 0 ? "11" : core == 1 ? "22" : core == 2 ? "44" : "88";
    root.write(directory + "/physical_package_id", std::to_string(socket));
    root.write(directory + "/core_id", std::to_string(core));
    root.write(directory + "/thread_siblings", siblings);
    root.write(directory + "/core_cpus", siblings);
    root.write(directory + "/core_siblings", socket == 0 ? "33" : "cc");
    root.write(directory + "/package_cpus", socket == 0 ? "33" : "cc");
  }
  root.write("/sys/devices/system/node/online", "0-1");
  for (const int node : {0, 1}) {
    const auto directory = "/sys/devices/system/node/node" + std::to_string(node);
    root.write(directory + "/cpumap", node == 0 ? "33" : "cc");
    root.write(directory + "/meminfo", "Node " + std::to_string(node) + " MemTotal: 1048576 kB");
    root.write(directory + "/distance", node == 0 ? "10 21" : "21 10");
  }
}

TEST(Topology, CountsSocketsCoresAndNumaNodes) {
  PlantedRoot root;
  plant_topology(root);
  const auto topology = read_topology(root);
  EXPECT_EQ(topology.sockets.value(), 2);
  EXPECT_EQ(topology.cores.value(), 4);
  EXPECT_EQ(topology.numa_nodes.value(), 2);
  EXPECT_TRUE(topology.hwloc_version.value().starts_with("2."));
}

TEST(Topology, NothingPlantedIsUnknown) {
  const PlantedRoot root;
  EXPECT_FALSE(read_topology(root).cores.known());
}

TEST(Cpu, ReadsModelThreadsGovernorAndSteal) {
  PlantedRoot root;
  plant_topology(root);
  root.write("/proc/cpuinfo", "processor\t: 0\nmodel name\t: Intel(R) Xeon(R) Platinum 8480C\nflags\t: fpu");
  root.write("/proc/stat", "cpu  100 0 100 700 0 50 0 50 0 0\ncpu0 1 2 3");
  for (int cpu = 0; cpu < 8; ++cpu) {
    root.write("/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cpufreq/scaling_governor",
               cpu == 3 ? "powersave" : "performance");
  }
  const auto cpu = read_cpu(root, no_limits(), read_topology(root));
  EXPECT_EQ(cpu.model.value(), "Intel(R) Xeon(R) Platinum 8480C");
  EXPECT_EQ(cpu.threads.value(), 8);
  EXPECT_EQ(cpu.governor.value(), "performance on 7 CPUs, powersave on 1 CPUs");
  EXPECT_DOUBLE_EQ(cpu.steal_share.value(), 0.05);
}

TEST(Cpu, ArmIsNamedByItsCodes) {
  PlantedRoot root;
  root.write("/proc/cpuinfo", "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd4f");
  EXPECT_EQ(read_cpu(root, no_limits(), read_topology(root)).model.value(), "implementer 0x41 part 0xd4f");
}

TEST(Cpu, MissingFilesAreUnknown) {
  const PlantedRoot root;
  const auto cpu = read_cpu(root, no_limits(), read_topology(root));
  EXPECT_FALSE(cpu.model.known());
  EXPECT_FALSE(cpu.threads.known());
  EXPECT_FALSE(cpu.sockets.known());
  EXPECT_FALSE(cpu.governor.known());
  EXPECT_FALSE(cpu.steal_share.known());
}

}  // namespace
}  // namespace assay
