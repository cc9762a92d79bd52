#include "inventory/collect.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

#include "tests/inventory/planted_root.hpp"

namespace assay {
namespace {

using assay::testing::PlantedRoot;
using ::testing::Contains;
using ::testing::Field;
using ::testing::IsEmpty;

TEST(Collect, EmptyMachineIsUnknownThroughout) {
  const PlantedRoot root;
  const auto node = collect_node(root, {{"/scratch"}, {}});
  EXPECT_FALSE(node.host.known());
  EXPECT_FALSE(node.cpu.model.known());
  EXPECT_FALSE(node.cpu.grant.granted.known());
  EXPECT_FALSE(node.memory.granted.known());
  EXPECT_FALSE(node.limits.nofile.known());
  EXPECT_FALSE(node.system.virtualization.known());
  EXPECT_THAT(node.nics, IsEmpty());
  ASSERT_EQ(node.disks.size(), 1U);
  EXPECT_EQ(node.disks[0].transport, "unknown");
}

TEST(Collect, SoftwareOfTheCallerComesFirstAndModulesAreNamed) {
  PlantedRoot root;
  testing::plant_mlx5(root, 0, "ib0", 0);
  root.write("/sys/module/mlx5_core/version", "24.04-0.6.6");
  const auto node = collect_node(root, {{}, {{"mpi", "4.1.4", "Open MPI"}}});
  EXPECT_EQ(node.software.at(0).name, "mpi");
  EXPECT_THAT(node.software, Contains(Field(&SoftwareFacts::name, "compiler")));
  EXPECT_THAT(node.software, Contains(Field(&SoftwareFacts::version, "24.04-0.6.6")));
}

TEST(Collect, RelativePathsAreThoseOfTheCurrentDirectory) {
  const auto node = collect_node(SystemRoot(), {{"."}, {}});
  ASSERT_GE(node.disks.size(), 1U);
  EXPECT_EQ(node.disks[0].path, std::filesystem::current_path().string());
  EXPECT_FALSE(node.disks[0].file_system.empty());
}

TEST(Collect, ThisMachineAgreesWithTheSystemCalls) {
  const SystemRoot root;
  const auto node = collect_node(root, {{"/"}, {}});
  EXPECT_EQ(node.cpu.threads.value(), sysconf(_SC_NPROCESSORS_ONLN));
  const auto pages = static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES));
  EXPECT_EQ(node.memory.installed.value(), pages * sysconf(_SC_PAGESIZE));
  EXPECT_LE(node.memory.granted.value(), node.memory.installed.value());
  EXPECT_GE(node.cpu.grant.granted.value().size(), node.cpu.grant.bound.value().size());
  EXPECT_EQ(node.cpu.grant.bound.value().size(), std::thread::hardware_concurrency());
  EXPECT_GE(node.cpu.cores.value(), 1);
  EXPECT_THAT(node.software, Contains(Field(&SoftwareFacts::name, "hwloc")));
  EXPECT_GT(node.limits.nofile.value(), 0);
  ASSERT_GE(node.disks.size(), 1U);
  EXPECT_GT(node.disks[0].free.value(), 0);
  EXPECT_FALSE(node.disks[0].file_system.empty());
}

}  // namespace
}  // namespace assay
