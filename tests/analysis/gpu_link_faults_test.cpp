#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/analysis/gpu_cluster.hpp"

namespace assay {
namespace {

using test::GpuCluster;
using test::judge;
using test::not_passed;
using test::verdict_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

TEST(GpuLinkFault, CopiesOfAllAtOnceMayShareAWayToTheHost) {
  GpuCluster shared("a100-sxm4-80gb", 1, 8);
  shared.at_once = 0.5;
  EXPECT_THAT(not_passed(shared.judged()), IsEmpty()) << "each alone is fast";
  shared.copies_alone = false;
  EXPECT_THAT(not_passed(shared.judged()), ElementsAre("gpu.pcie_bandwidth"));
  const Verdict open = verdict_of(shared.judged(), "gpu.pcie_bandwidth");
  EXPECT_EQ(open.outcome, Outcome::inconclusive);
  EXPECT_THAT(open.reason, HasSubstr("they may share a way to the host"));
  shared.at_once = 1;
  shared.to_device[3] = 0.5;  // slower than the others: its own fault
  EXPECT_EQ(verdict_of(shared.judged(), "gpu.pcie_bandwidth").outcome, Outcome::fail);
}

TEST(GpuLinkFault, NarrowPcieFailsCopiesAndHealthAndSaysHowManyLanes) {
  GpuCluster cluster("h100-sxm5-80gb", 2, 8);
  cluster.gpu(1, 2).pcie_width = cluster.gpu(1, 2).pcie_width_max = 8;
  cluster.to_device[10] = cluster.to_host[10] = 0.5;
  const Judgement judgement = cluster.judged();
  EXPECT_THAT(not_passed(judgement), ElementsAre("gpu.pcie_bandwidth", "gpu.healthy"));
  EXPECT_EQ(verdict_of(judgement, "gpu.pcie_bandwidth").cause, "its link has 8 of 16 lanes");
  EXPECT_THAT(verdict_of(judgement, "gpu.healthy").reason, HasSubstr("PCIe link of 8 lanes, the card has 16"));
}

TEST(GpuLinkFault, OneWayToTheHostIsEnough) {
  GpuCluster cluster("a100-sxm4-80gb", 1, 8);
  cluster.to_host[4] = 0.3;
  const Judgement judgement = cluster.judged();
  EXPECT_THAT(not_passed(judgement), ElementsAre("gpu.pcie_bandwidth"));
  EXPECT_THAT(verdict_of(judgement, "gpu.pcie_bandwidth").member, HasSubstr("way:to_host"));
}

TEST(GpuLinkFault, DeadNvlinksNameTheCardNotItsPairs) {
  GpuCluster cluster("h100-sxm5-80gb", 1, 8);
  cluster.gpu(0, 5).nvlinks_active = 12;
  cluster.links[5] = 0.66;
  cluster.node_all_reduce[0] = 0.66;
  const Judgement judgement = cluster.judged();
  EXPECT_THAT(not_passed(judgement),
              ElementsAre("gpu.nvlink_bandwidth", "gpu.healthy", "interconnect.all_reduce_node"));
  const Verdict& peers = verdict_of(judgement, "gpu.nvlink_bandwidth");
  EXPECT_THAT(peers.reason, HasSubstr("14 of 56 sets fail"));
  EXPECT_THAT(peers.cause, StartsWith("GPU 5 (0000:20:00.0, GPU-00000005) on node1, rank 5 is in 7 slow pairs of 7"));
  EXPECT_THAT(peers.cause, HasSubstr("12 of its 18 NVLinks are up"));
  EXPECT_THAT(verdict_of(judgement, "gpu.healthy").reason, HasSubstr("12 of 18 NVLinks are up"));
  EXPECT_THAT(verdict_of(judgement, "interconnect.all_reduce_node").cause, HasSubstr("GPU 5"));
}

TEST(GpuLinkFault, OneBadPairIsNoBadCard) {
  GpuCluster cluster("a100-sxm4-80gb", 1, 8);
  cluster.pair[{2, 6}] = 0.5;
  const Judgement judgement = cluster.judged();
  EXPECT_THAT(not_passed(judgement), ElementsAre("gpu.nvlink_bandwidth"));
  const Verdict& peers = verdict_of(judgement, "gpu.nvlink_bandwidth");
  EXPECT_THAT(peers.member, HasSubstr("rank 2 and GPU 6"));
  EXPECT_THAT(peers.cause, IsEmpty());
}

TEST(GpuLinkFault, CardsThatCannotReachEachOtherFailAndNameTheOne) {
  GpuCluster cluster("h100-sxm5-80gb", 1, 8);
  RunData run = cluster.run();
  for (auto& row : run.series) {
    const auto members = run.members_of(row);
    if (row.case_name != "gpu.peer_copy" || (members[0] != 6 && members[1] != 6)) continue;
    row.status = "failed";
    run.events.push_back({1, "error", row.series, members[0],
                          "cudaIpcOpenMemHandle: peer access is not supported between these two devices (217)"});
  }
  const Judgement judgement = judge(run, cluster.offer());
  EXPECT_THAT(not_passed(judgement), ElementsAre("gpu.nvlink_bandwidth"));
  const Verdict& peers = verdict_of(judgement, "gpu.nvlink_bandwidth");
  EXPECT_EQ(peers.outcome, Outcome::fail);
  EXPECT_THAT(peers.reason, HasSubstr("peer access is not supported"));
  EXPECT_THAT(peers.cause, StartsWith("GPU 6 "));
}

TEST(GpuLinkFault, WrongDataHasNoCauseInTheLinks) {
  GpuCluster cluster("h100-sxm5-80gb", 1, 8);
  cluster.node_method = "Ring/Simple, P2P/CUMEM";
  RunData run = cluster.run();
  for (auto& row : run.series) {
    if (row.case_name == "nccl.all_reduce") row.status = "wrong_data";
  }
  const Verdict verdict = verdict_of(judge(run, cluster.offer()), "interconnect.all_reduce_node");
  EXPECT_EQ(verdict.outcome, Outcome::fail);
  EXPECT_THAT(verdict.cause, IsEmpty());
}

TEST(GpuLinkFault, RoceIsNoInfiniBand) {
  GpuCluster cluster("h100-sxm5-80gb", 2, 8);
  for (int i = 0; i < 16; ++i) cluster.nic(i / 8, i % 8).link_layer = "Ethernet";
  EXPECT_THAT(not_passed(cluster.judged()), ElementsAre("interconnect.transport"));
  EXPECT_EQ(verdict_of(cluster.judged(), "interconnect.transport").found, "roce");
}

TEST(GpuLinkFault, SlowNicFailsTheNetworkOnlyAndIsNamed) {
  GpuCluster cluster("h100-sxm5-80gb", 4, 8);
  cluster.nics[20] = 0.25;
  const Judgement judgement = cluster.judged();
  EXPECT_THAT(not_passed(judgement), ElementsAre("interconnect.all_reduce_all", "scaling.gpu_efficiency"));
  const std::string cause = verdict_of(judgement, "interconnect.all_reduce_all").cause;
  EXPECT_THAT(cause, HasSubstr("the rail of GPU 4, next to mlx5_4 reaches 25 % of the other rails"));
  EXPECT_THAT(
      cause,
      HasSubstr("mlx5_4 on node3 (of GPU 4 (0000:1f:00.0, GPU-00020004) on node3, rank 20) is in 3 slow pairs of 3"));
}

TEST(GpuLinkFault, DeadAndDownRatedNics) {
  GpuCluster dead("h100-sxm5-80gb", 2, 8);
  dead.nic(1, 6).rdma_state = "DOWN";
  EXPECT_THAT(not_passed(dead.judged()), ElementsAre("interconnect.nics"));
  const Verdict nics = verdict_of(dead.judged(), "interconnect.nics");
  EXPECT_EQ(nics.member, "node2");
  EXPECT_EQ(nics.cause, "node2: mlx5_6 is down");
  GpuCluster slow("h100-sxm5-80gb", 2, 8);
  slow.nic(0, 3).speed_bits_per_second = 100e9;
  slow.all_reduce_all = 0.3;
  EXPECT_THAT(not_passed(slow.judged()),
              ElementsAre("interconnect.nics", "interconnect.all_reduce_all", "scaling.gpu_efficiency"));
  EXPECT_THAT(verdict_of(slow.judged(), "interconnect.all_reduce_all").cause,
              HasSubstr("mlx5_3 on node1 runs at 100 Gbit/s, others at 400 Gbit/s"));
}

TEST(GpuLinkFault, SocketsInsteadOfInfiniBand) {
  GpuCluster cluster("h100-sxm5-80gb", 2, 8);
  cluster.all_method = "Ring/Simple, 8 channels, P2P/CUMEM + NET/Socket eth0";
  cluster.all_reduce_all = 0.02;
  const Judgement judgement = cluster.judged();
  EXPECT_THAT(not_passed(judgement), ElementsAre("interconnect.transport", "interconnect.gpu_direct",
                                                 "interconnect.all_reduce_all", "scaling.gpu_efficiency"));
  EXPECT_EQ(verdict_of(judgement, "interconnect.transport").found, "tcp (NET/Socket)");
  EXPECT_THAT(verdict_of(judgement, "interconnect.all_reduce_all").cause, HasSubstr("sockets (NET/Socket), not RDMA"));
}

TEST(GpuLinkFault, NoGpuDirect) {
  GpuCluster cluster("h100-sxm5-80gb", 2, 8);
  for (const char* method : {"Ring/Simple, 16 channels, P2P/CUMEM + NET/IB mlx5_0-7",
                             "Ring/Simple, P2P/CUMEM + NET/IB + NET/IB GDR mlx5_0-7",
                             "Ring/Simple, NET/IB GDR mlx5_0-7 (GPUDirect RDMA disabled for HCA 3, distance 8 > 5)"}) {
    cluster.all_method = method;
    cluster.all_reduce_all = 0.5;
    EXPECT_THAT(not_passed(cluster.judged()),
                ElementsAre("interconnect.gpu_direct", "interconnect.all_reduce_all", "scaling.gpu_efficiency"));
    EXPECT_THAT(verdict_of(cluster.judged(), "interconnect.all_reduce_all").cause, HasSubstr("no GPUDirect RDMA"));
  }
}

TEST(GpuLinkFault, SwitchesThatDoNotReduce) {
  GpuCluster cluster("h100-sxm5-80gb", 1, 8);
  cluster.node_method = "Ring/Simple, P2P/CUMEM";
  cluster.node_all_reduce[0] = 365.0 / 477;
  const Judgement judgement = cluster.judged();
  EXPECT_THAT(not_passed(judgement), ElementsAre("interconnect.all_reduce_node"));
  EXPECT_THAT(verdict_of(judgement, "interconnect.all_reduce_node").cause, HasSubstr("NVLS is not used"));
}

}  // namespace
}  // namespace assay
