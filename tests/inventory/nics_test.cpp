#include "inventory/nics.hpp"

#include <gmock/gmock.h>

#include "tests/inventory/planted_root.hpp"

namespace assay {
namespace {

using assay::testing::plant_mlx5;
using assay::testing::PlantedRoot;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Nics, EightInfinibandPortsOfAnHgxNode) {
  PlantedRoot root;
  for (int i = 0; i < 8; ++i) plant_mlx5(root, i, "ib" + std::to_string(i), i / 4);
  root.write("/sys/class/net/lo/operstate", "unknown");
  const auto nics = read_nics(root);
  ASSERT_EQ(nics.size(), 8U);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(nics[i].name, "ib" + std::to_string(i));
    EXPECT_EQ(nics[i].rdma_device, "mlx5_" + std::to_string(i));
    EXPECT_EQ(nics[i].driver.value(), "mlx5_core");
    EXPECT_EQ(nics[i].state.value(), "up");
    EXPECT_EQ(nics[i].speed.value(), 400e9);
    EXPECT_EQ(nics[i].mtu.value(), 4092);
    EXPECT_EQ(nics[i].numa_node.value(), i < 4 ? 0 : 1);
    EXPECT_EQ(nics[i].link_layer, "InfiniBand");
    EXPECT_EQ(nics[i].rdma_state, "ACTIVE");
    EXPECT_FALSE(nics[i].is_virtual);
    EXPECT_THAT(nics[i].address.value(), HasSubstr("58:a2:e1"));
  }
}

TEST(Nics, RdmaDeviceWithoutInterfaceIsListed) {
  PlantedRoot root;
  plant_mlx5(root, 0, "", 1);
  const auto nics = read_nics(root);
  ASSERT_EQ(nics.size(), 1U);
  EXPECT_EQ(nics[0].name, "mlx5_0");
  EXPECT_EQ(nics[0].rdma_device, "mlx5_0");
  EXPECT_EQ(nics[0].state.value(), "ACTIVE");
  EXPECT_EQ(nics[0].speed.value(), 400e9);
  EXPECT_EQ(nics[0].numa_node.value(), 1);
  EXPECT_FALSE(nics[0].mtu.known());
  EXPECT_FALSE(nics[0].address.known());
}

TEST(Nics, InterfaceThatHidesItsSpeedTakesThePortsRate) {
  PlantedRoot root;
  plant_mlx5(root, 0, "ib0", 0);
  root.write("/sys/class/net/ib0/speed", "-1");
  EXPECT_EQ(read_nics(root).at(0).speed.value(), 400e9);
}

TEST(Nics, VirtualInterfacesAreMarked) {
  PlantedRoot root;
  root.write("/sys/class/net/docker0/operstate", "down");
  root.write("/sys/class/net/docker0/mtu", "1500");
  root.write("/sys/class/net/bonding_masters", "bond0");
  const auto nics = read_nics(root);
  ASSERT_EQ(nics.size(), 1U);
  EXPECT_TRUE(nics[0].is_virtual);
  EXPECT_FALSE(nics[0].driver.known());
  EXPECT_FALSE(nics[0].speed.known());
}

TEST(Nics, SpeedThatIsNotReportedIsUnknown) {
  PlantedRoot root;
  root.write("/sys/class/net/eth0/operstate", "up");
  root.write("/sys/class/net/eth0/speed", "-1");
  root.write("/sys/class/net/eth0/device/numa_node", "-1");
  const auto nics = read_nics(root);
  ASSERT_EQ(nics.size(), 1U);
  EXPECT_FALSE(nics[0].speed.known());
  EXPECT_THAT(nics[0].speed.why(), HasSubstr("no speed"));
  EXPECT_FALSE(nics[0].numa_node.known());
  EXPECT_FALSE(nics[0].mtu.known());
  EXPECT_THAT(nics[0].rdma_device, IsEmpty());
}

TEST(Nics, NoneAtAll) {
  const PlantedRoot root;
  EXPECT_THAT(read_nics(root), IsEmpty());
}

}  // namespace
}  // namespace assay
