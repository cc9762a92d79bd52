#include <gmock/gmock.h>

#include "core/error.hpp"
#include "inventory/nic_counters.hpp"
#include "inventory/nics.hpp"
#include "inventory/pci.hpp"
#include "tests/inventory/planted_root.hpp"

namespace assay {
namespace {

using assay::testing::plant_mlx5;
using assay::testing::PlantedRoot;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(Overlay, ItsFilesStandBeforeTheMachines) {
  PlantedRoot machine;
  PlantedRoot overlay;
  machine.write("/a/one", "machine");
  machine.write("/a/two", "machine");
  overlay.write("/a/two", "overlay");
  overlay.write("/a/three", "overlay");
  const SystemRoot both(machine.path(), overlay.path());
  EXPECT_TRUE(both.overlaid());
  EXPECT_EQ(both.read("/a/one").value(), "machine");
  EXPECT_EQ(both.read("/a/two").value(), "overlay");
  EXPECT_THAT(both.list("/a"), ElementsAre("one", "three", "two"));
  EXPECT_FALSE(both.exists("/a/four"));
}

TEST(Overlay, LinksInItLeadThroughIt) {
  PlantedRoot machine;
  PlantedRoot overlay;
  machine.write("/sys/class/net/eth0/operstate", "up");
  plant_mlx5(overlay, 3, "ib3", 1);
  overlay.link("/sys/bus/pci/devices/0000:04:00.0", "/sys/devices/pci0000:03/0000:04:00.0");
  const SystemRoot both(machine.path(), overlay.path());
  const auto nics = read_nics(both);
  ASSERT_EQ(nics.size(), 2U);
  EXPECT_EQ(nics[1].rdma_device, "mlx5_3");
  EXPECT_EQ(nics[1].pci_bus_id, "0000:04:00.0");
  EXPECT_THAT(read_pci_device(both, "0000:04:00.0").chain, ElementsAre("pci0000:03", "0000:04:00.0"));
}

TEST(Overlay, AHostWithoutOneIsRefused) {
  PlantedRoot empty;
  EXPECT_THROW((void)machine_with_overlay(empty.path()), Error);
  EXPECT_FALSE(machine_with_overlay({}).overlaid());
}

TEST(PciAddress, ManyWritingsOfOne) {
  for (const char* text : {"00000000:1B:00.0", "0000:1b:00.0", "1B:00.0", " 0000:1B:00.0\n"})
    EXPECT_EQ(normal_pci_address(text), "0000:1b:00.0") << text;
  EXPECT_EQ(normal_pci_address("00010000:1b:00.0"), "10000:1b:00.0");
}

TEST(NicFactsOfPorts, StateFirmwareAndIdentity) {
  PlantedRoot root;
  plant_mlx5(root, 0, "ib0", 0);
  const std::string device = "/sys/devices/pci0000:00/0000:01:00.0/infiniband/mlx5_0";
  root.write(device + "/ports/1/phys_state", "5: LinkUp");
  root.write(device + "/fw_ver", "28.39.2048");
  root.write(device + "/node_guid", "58a2:e103:0000:0001");
  const auto nic = read_nics(root).at(0);
  EXPECT_EQ(nic.physical_state.value(), "LinkUp");
  EXPECT_EQ(nic.rate.value(), "400 Gb/sec (4X NDR)");
  EXPECT_EQ(nic.firmware.value(), "28.39.2048");
  EXPECT_EQ(nic.guid.value(), "58a2:e103:0000:0001");
  EXPECT_FALSE(nic.board.known());
  EXPECT_EQ(nic.rdma_port, 1);
}

TEST(NicCounters, OfThePortAndOfTheInterface) {
  PlantedRoot root;
  plant_mlx5(root, 0, "ib0", 0);
  const std::string port = "/sys/devices/pci0000:00/0000:01:00.0/infiniband/mlx5_0/ports/1";
  root.write(port + "/counters/port_xmit_data", "1000");
  root.write(port + "/counters/symbol_error", "2");
  root.write(port + "/hw_counters/out_of_sequence", "3");
  root.write(port + "/hw_counters/lifespan", "10");
  root.write("/sys/class/net/eth0/operstate", "up");
  root.write("/sys/class/net/eth0/device/x", "");
  root.write("/sys/class/net/eth0/statistics/rx_bytes", "77");
  root.write("/sys/class/net/eth0/statistics/tx_window_errors", "0");
  const auto nics = read_nics(root);
  const auto counters = NicCounterReader(root, nics).read();
  ASSERT_EQ(counters.size(), 2U);
  EXPECT_THAT(counters[0], ElementsAre(Pair("rx_bytes", 77)));
  EXPECT_THAT(counters[1],
              ElementsAre(Pair("out_of_sequence", 3), Pair("port_xmit_data", 4000), Pair("symbol_error", 2)));
}

TEST(NicCounters, WhatCannotBeReadIsLeftOut) {
  PlantedRoot root;
  root.write("/sys/class/net/eth0/operstate", "up");
  root.write("/sys/class/net/eth0/device/x", "");
  root.write("/sys/class/net/eth0/statistics/rx_bytes", "none");
  EXPECT_THAT(NicCounterReader(root, read_nics(root)).read().at(0), IsEmpty());
}

}  // namespace
}  // namespace assay
