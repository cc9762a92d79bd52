#include "inventory/distances.hpp"

#include <gmock/gmock.h>

#include "inventory/facts.hpp"

namespace assay {
namespace {

PciDevice device(std::vector<std::string> chain, Fact<std::int64_t> numa = std::int64_t{0}) {
  PciDevice device;
  device.chain = std::move(chain);
  device.numa_node = std::move(numa);
  return device;
}

const auto nowhere = Fact<std::int64_t>::unknown("the firmware names no NUMA node");

TEST(PathBetween, TheSameSwitch) {
  const auto gpu = device({"pci0000:17", "17:01.0", "18:00.0", "19:00.0", "1b:00.0"});
  const auto nic = device({"pci0000:17", "17:01.0", "18:00.0", "19:01.0", "1c:00.0"});
  EXPECT_EQ(path_between(gpu, nic, 2), Path::pix);
}

TEST(PathBetween, TwoFunctionsOfOneCard) {
  EXPECT_EQ(path_between(device({"pci0000:17", "17:01.0", "18:00.0"}), device({"pci0000:17", "17:01.0", "18:00.1"}), 2),
            Path::pix);
}

TEST(PathBetween, SwitchBehindSwitch) {
  const auto near = device({"pci0000:17", "17:01.0", "18:00.0", "19:00.0", "1b:00.0"});
  const auto far = device({"pci0000:17", "17:01.0", "18:00.0", "19:01.0", "1c:00.0", "1d:00.0", "1e:00.0"});
  EXPECT_EQ(path_between(near, far, 2), Path::pxb);
}

TEST(PathBetween, TwoPortsOfOneHostBridge) {
  EXPECT_EQ(path_between(device({"pci0000:17", "17:01.0", "18:00.0"}), device({"pci0000:17", "17:03.0", "20:00.0"}), 2),
            Path::phb);
}

TEST(PathBetween, HostBridgesOfOneOrTwoNumaNodes) {
  const auto a = device({"pci0000:17", "17:01.0", "18:00.0"}, 0);
  EXPECT_EQ(path_between(a, device({"pci0000:30", "30:01.0", "31:00.0"}, 0), 2), Path::node);
  EXPECT_EQ(path_between(a, device({"pci0000:80", "80:01.0", "81:00.0"}, 1), 2), Path::sys);
}

TEST(PathBetween, UnknownPlacesAreNotGuessed) {
  const auto a = device({"pci0000:17", "17:01.0", "18:00.0"}, 0);
  const auto b = device({"pci0000:80", "80:01.0", "81:00.0"}, nowhere);
  EXPECT_EQ(path_between(a, b, 2), Path::unknown);
  EXPECT_EQ(path_between(a, b, 1), Path::node);                                    // there is only one
  EXPECT_EQ(path_between(a, device({"pci0000:80", "80:01.0"}, 1), 1), Path::sys);  // firmware knows better
  EXPECT_EQ(path_between(a, device({}), 2), Path::unknown);
}

std::vector<GpuFacts> cards(int number) {
  std::vector<GpuFacts> gpus(static_cast<std::size_t>(number));
  for (int i = 0; i < number; ++i) gpus[static_cast<std::size_t>(i)].number = i;
  return gpus;
}

NicFacts port(const std::string& name, double speed, bool rdma = true) {
  NicFacts nic;
  nic.name = name;
  if (rdma) nic.rdma_device = name;
  nic.speed = speed;
  return nic;
}

TEST(NearestNic, NearBeforeFarAndRdmaBeforeOthers) {
  auto gpus = cards(2);
  const std::vector<NicFacts> nics{port("eth0", 10e9, false), port("mlx5_0", 400e9), port("mlx5_1", 400e9)};
  choose_nics(gpus, nics,
              {{"gpu0", "eth0", Path::pix, 0},
               {"gpu0", "mlx5_0", Path::sys, 0},
               {"gpu0", "mlx5_1", Path::node, 0},
               {"gpu1", "mlx5_0", Path::pix, 0},
               {"gpu1", "mlx5_1", Path::pxb, 0}});
  EXPECT_EQ(gpus[0].nic.value(), "mlx5_1");
  EXPECT_EQ(gpus[1].nic.value(), "mlx5_0");
}

TEST(NearestNic, EqualOnesAreTakenInTurnFastOnesFirst) {
  auto gpus = cards(3);
  const std::vector<NicFacts> nics{port("slow", 100e9), port("a", 400e9), port("b", 400e9)};
  std::vector<DistanceFacts> distances;
  for (const char* gpu : {"gpu0", "gpu1", "gpu2"})
    for (const char* nic : {"slow", "a", "b"}) distances.push_back({gpu, nic, Path::pix, 0});
  choose_nics(gpus, nics, distances);
  EXPECT_EQ(gpus[0].nic.value(), "a");
  EXPECT_EQ(gpus[1].nic.value(), "b");
  EXPECT_EQ(gpus[2].nic.value(), "a");
}

TEST(NearestNic, ADistanceThatIsNotKnownIsNoNearness) {
  auto gpus = cards(1);
  choose_nics(gpus, {port("mlx5_0", 400e9)}, {{"gpu0", "mlx5_0", Path::unknown, 0}});
  EXPECT_FALSE(gpus[0].nic.known());
}

}  // namespace
}  // namespace assay
