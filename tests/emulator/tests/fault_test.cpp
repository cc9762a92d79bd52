#include "tests/emulator/model/fault.hpp"

#include <gtest/gtest.h>

#include "tests/emulator/tests/support.hpp"

namespace emulator {
namespace {

using test::one_node;

Cluster h100(const std::string& fault) { return one_node("h100-sxm5-80gb", 8, fault); }

TEST(Faults, SitOnlyWhereTheySay) {
  const auto cluster = h100("kind = \"half_memory\"\ngpu = [2, 5]");
  for (const auto& gpu : cluster.nodes()[0].gpus) {
    const bool hit = gpu.slot == 2 || gpu.slot == 5;
    EXPECT_EQ(gpu.fault(FaultKind::half_memory) != nullptr, hit);
    EXPECT_EQ(gpu.memory_bytes, gpu.product->memory_bytes / (hit ? 2 : 1));
  }
}

TEST(Faults, AHostCanBeNamed) {
  const auto cluster = test::cluster_of(
      "[[nodes]]\nhosts = [\"alpha\", \"beta\"]\ngpus = { product = \"l40s\" }\n[[fault]]\nkind = \"p2p_off\"\nnode = "
      "\"beta\"\n");
  EXPECT_TRUE(cluster.nodes()[0].gpus[0].peer_to_peer);
  EXPECT_FALSE(cluster.nodes()[1].gpus[0].peer_to_peer);
}

TEST(Faults, DeadNvlinksByCountAndByNumber) {
  EXPECT_EQ(h100("kind = \"dead_nvlink\"\ngpu = 1").nodes()[0].gpus[1].nvlinks_up(), 17);
  EXPECT_EQ(h100("kind = \"dead_nvlink\"\ngpu = 1\ncount = 4").nodes()[0].gpus[1].nvlinks_up(), 14);
  const auto cluster = h100("kind = \"dead_nvlink\"\ngpu = 1\nlink = [3, 7]");
  const auto& gpu = cluster.nodes()[0].gpus[1];
  EXPECT_EQ(gpu.nvlinks_up(), 16);
  EXPECT_FALSE(gpu.nvlinks[3] || gpu.nvlinks[7]);
  EXPECT_EQ(cluster.nodes()[0].gpus[0].nvlinks_up(), 18);
  EXPECT_EQ(h100("kind = \"missing_nvlink\"\ngpu = 1").nodes()[0].gpus[1].nvlinks_up(), 0);
}

TEST(Faults, ARenamedCardIsTheOtherProductUnderItsName) {
  const auto cluster = one_node("a100-sxm4-80gb", 8, "kind = \"renamed\"\ngpu = 3\nproduct = \"a800-sxm4-80gb\"");
  const auto& gpu = cluster.nodes()[0].gpus[3];
  EXPECT_EQ(gpu.shown_name, "NVIDIA A100-SXM4-80GB");
  EXPECT_EQ(gpu.product->id, "a800-sxm4-80gb");
  EXPECT_EQ(gpu.nvlinks_up(), 8);
}

TEST(Faults, ARenamedCardCanLoseMoreThanItsName) {
  const auto cluster = test::cluster_of(
      "[[nodes]]\ngpus = { product = \"h100-sxm5-80gb\" }\n[[fault]]\nkind = \"half_memory\"\n[[fault]]\nkind = "
      "\"renamed\"\nproduct = \"a100-sxm4-80gb\"\n");
  EXPECT_EQ(cluster.nodes()[0].gpus[0].memory_bytes, std::uint64_t{40960} << 20);
}

TEST(Faults, AMissingCardMovesTheOthersUp) {
  const auto cluster = h100("kind = \"missing_gpu\"\ngpu = 2");
  const auto& node = cluster.nodes()[0];
  ASSERT_EQ(node.gpus.size(), 7U);
  EXPECT_EQ(node.gpu_slots, 8);
  EXPECT_EQ(node.gpus[2].slot, 3);
  EXPECT_EQ(node.gpus[2].index, 2);
}

TEST(Faults, SliceOfACard) {
  const auto cluster = h100("kind = \"mig_slice\"\ngpu = 0\nfraction = 0.5");
  const auto& gpu = cluster.nodes()[0].gpus[0];
  EXPECT_TRUE(gpu.mig);
  EXPECT_EQ(gpu.sm_count, 66);
  EXPECT_EQ(gpu.memory_bytes, gpu.product->memory_bytes / 2);
}

TEST(Faults, NicsThatAreSlowDeadOrDownRated) {
  const auto slow = h100("kind = \"slow_nic\"\nnic = 1\ngbit = 100");
  EXPECT_DOUBLE_EQ(slow.nodes()[0].nics[1].rate, 400e9);
  EXPECT_DOUBLE_EQ(slow.nodes()[0].nics[1].delivered, 12.5e9);
  const auto dead = h100("kind = \"dead_nic\"\nnic = 1");
  EXPECT_FALSE(dead.nodes()[0].nics[1].up);
  EXPECT_EQ(dead.nodes()[0].nics[1].delivered, 0);
  EXPECT_TRUE(dead.nodes()[0].nics[0].up);
  const auto down = h100("kind = \"down_rated_nic\"\nnic = 1\ngbit = 200");
  EXPECT_DOUBLE_EQ(down.nodes()[0].nics[1].rate, 200e9);
  EXPECT_DOUBLE_EQ(down.nodes()[0].nics[1].full_rate, 400e9);
  EXPECT_NEAR(down.nodes()[0].nics[1].delivered, 24.5e9, 1);
  EXPECT_FALSE(h100("kind = \"gdr_off\"\nnic = 1").nodes()[0].nics[1].gdr);
}

TEST(Faults, HalfTheNics) {
  const auto cluster = h100("kind = \"half_nics\"");
  ASSERT_EQ(cluster.nodes()[0].nics.size(), 4U);
  EXPECT_EQ(cluster.nodes()[0].nics[1].name, "mlx5_2");
}

TEST(Faults, OfTheFabric) {
  EXPECT_EQ(h100("kind = \"socket_transport\"").fabric().transport, Transport::socket);
  EXPECT_EQ(h100("kind = \"oversubscribed\"\nratio = 4").fabric().oversubscription, 4);
}

TEST(Faults, PcieNarrowerSlowerAndMemoryTaken) {
  const auto narrow = h100("kind = \"pcie_width\"\ngpu = 0");
  EXPECT_EQ(narrow.nodes()[0].gpus[0].pcie_width, 8);
  EXPECT_EQ(narrow.nodes()[0].gpus[0].pcie_width_max, 16);
  const auto slow = h100("kind = \"pcie_gen\"\ngpu = 0");
  EXPECT_EQ(slow.nodes()[0].gpus[0].pcie_gen, 1);
  EXPECT_EQ(slow.nodes()[0].gpus[0].pcie_gen_max, 5);
  const auto taken = h100("kind = \"out_of_memory\"\ngpu = 0\nfraction = 0.25");
  EXPECT_EQ(taken.nodes()[0].gpus[0].foreign_bytes, taken.nodes()[0].gpus[0].memory_bytes / 4);
}

TEST(Faults, ValuesThatOthersActOn) {
  const auto hang = h100("kind = \"hang\"\ngpu = 0\noperation = \"AllReduce\"\nafter = 3");
  const auto* fault = hang.nodes()[0].gpus[0].fault(FaultKind::hang);
  ASSERT_NE(fault, nullptr);
  EXPECT_EQ(fault->operation, "AllReduce");
  EXPECT_EQ(fault->after, 3);
  const auto wrong = h100("kind = \"wrong_results\"\ngpu = 0");
  EXPECT_EQ(wrong.nodes()[0].gpus[0].fault(FaultKind::wrong_results)->rate, 1e-9);
}

TEST(Faults, EveryNameMeansItsKind) {
  const auto names = fault_names();
  ASSERT_EQ(names.size(), fault_kind_count);
  for (std::size_t i = 0; i < names.size(); ++i) EXPECT_EQ(name_of(static_cast<FaultKind>(i)), names[i]);
  EXPECT_EQ(name_of(FaultKind::oversubscribed), "oversubscribed");
  EXPECT_EQ(name_of(FaultKind::slow_nic), "slow_nic");
  EXPECT_EQ(name_of(FaultKind::missing_gpu), "missing_gpu");
}

}  // namespace
}  // namespace emulator
