#include "collectives/nccl/debug_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

namespace assay::nccl {
namespace {

using testing::ElementsAre;
using testing::Pair;

Observed seen(std::string_view text) {
  Observed observed;
  observe(text, observed);
  return observed;
}

// Eight GPUs with NVLink on each of two nodes, as NCCL 2.28 writes on rank 0.
constexpr std::string_view healthy = R"(alpha:4100:4100 [0] NCCL INFO cudaDriverVersion 13000
alpha:4100:4100 [0] NCCL INFO NCCL version 2.28.9+cuda13.0
alpha:4100:4177 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/IB [2]mlx5_4:1/IB [RO]; OOB eth0:192.0.2.7<0>
alpha:4100:4177 [0] NCCL INFO Channel 00/16 : 0 1 2 3 4 5 6 7 8 9
alpha:4100:4177 [0] NCCL INFO Channel 00/0 : 15[7] -> 0[0] [receive] via NET/IB/0/GDRDMA
alpha:4100:4177 [0] NCCL INFO Channel 01/0 : 0[0] -> 8[0] [send] via NET/IB/1(2)/GDRDMA/Shared
alpha:4100:4177 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM/read
alpha:4100:4177 [0] NCCL INFO 16 coll channels, 16 collnet channels, 8 nvls channels, 32 p2p channels, 2 p2p channels per peer
alpha:4100:4177 [0] NCCL INFO Connected all rings, use ring PXN 0 GDR 1
alpha:4100:4100 [0] NCCL INFO AllReduce: 4 Bytes -> Algo TREE proto LL channel{Lo..Hi}={0..0}
alpha:4100:4100 [0] NCCL INFO AllReduce: 1073741824 Bytes -> Algo RING proto SIMPLE channel{Lo..Hi}={0..15}
)";

TEST(DebugTextTest, ReadsAllOfAHealthyStart) {
  const Observed observed = seen(healthy);
  EXPECT_EQ(observed.version, "2.28.9");
  EXPECT_THAT(observed.transports, ElementsAre("NET/IB GDR", "P2P/CUMEM"));
  EXPECT_THAT(observed.nics, ElementsAre(Pair(0, "mlx5_0"), Pair(1, "mlx5_1"), Pair(2, "mlx5_4")));
  EXPECT_THAT(observed.nics_used, ElementsAre(0, 1));
  EXPECT_EQ(observed.collective_channels, 16);
  EXPECT_EQ(observed.nvls_channels, 8);
  EXPECT_EQ(observed.point_to_point_channels, 32);
  ASSERT_EQ(observed.choices.count("AllReduce"), 1U);
  EXPECT_EQ(observed.choices.at("AllReduce").algorithm, "Ring");
  EXPECT_EQ(observed.choices.at("AllReduce").protocol, "Simple");
  EXPECT_EQ(observed.choices.at("AllReduce").channels, 16);
  EXPECT_EQ(observed.gdr_refused, "");
}

TEST(DebugTextTest, WhateverStandsInFrontOfALine) {
  const Observed observed = seen(
      "(Worker pid=7) beta:9:9 [3] NCCL INFO Channel 00/0 : 1[0] -> 0[0] [receive] via NET/Socket/0 comm 0x5 nRanks "
      "02\n"
      "[2027-01-02 03:04:05] beta:9:9 [3] NCCL INFO NET/Socket : Using [0]eth0:192.0.2.1<0> [1]ib0:192.0.2.2<0>\n"
      "beta:9:9 [3] net.cc:17 NCCL WARN Call to connect failed\n");
  EXPECT_THAT(observed.transports, ElementsAre("NET/Socket"));
  EXPECT_THAT(observed.nics, ElementsAre(Pair(0, "eth0"), Pair(1, "ib0")));
  EXPECT_THAT(observed.warnings, ElementsAre("Call to connect failed"));
}

TEST(DebugTextTest, OldLayoutsWithNumbersAndWithoutFunctions) {
  const Observed observed = seen(
      "a:1:2 [3] NCCL INFO Ring 00 : 3[3] -> 1[1] via P2P/IPC\n"
      "a:1:2 [2] NCCL INFO Ring 00 : 6 -> 2 [receive] via NET/IB/0\n"
      "a:1:2 [2] NCCL INFO NET/IB : GPU Direct RDMA Disabled for GPU 2[2] / HCA 0 (distance 3 >= 2)\n"
      "a:1:2 [2] NCCL INFO Channel 01 : 2[2] -> 3[3] via direct shared memory\n"
      "a:1:2 [0] NCCL INFO 805306368 Bytes -> Algo 1 proto 2 time 3970.68\n"
      "a:1:2 [0] NCCL INFO Channel 02/0 : 0[0] -> 1[1] via P2P/direct pointer\n"
      "a:1:2 [0] NCCL INFO Channel 02/0 : 0[0] -> 2[2] via SHM/direct/direct\n");
  EXPECT_THAT(observed.transports, ElementsAre("NET/IB", "P2P/IPC", "P2P/direct", "SHM"));
  EXPECT_EQ(observed.choices.at("").algorithm, "Ring");
  EXPECT_EQ(observed.choices.at("").protocol, "Simple");
  EXPECT_EQ(observed.gdr_refused, "for GPU 2[2] / HCA 0 (distance 3 >= 2)");
}

TEST(DebugTextTest, OtherWaysOfTellingTheChoice) {
  const Observed best = seen("a:1:2 [0] NCCL INFO Best tuning, algorithm, NVLS_TREE, protocol, SIMPLE\n");
  EXPECT_EQ(best.choices.at("").protocol, "Simple");
  EXPECT_EQ(best.choices.at("").algorithm, "NVLSTree");
  const Observed symmetric = seen(
      "a:1:2 [0] NCCL INFO AllReduce [Symmetric]: 64 Bytes -> Kernel AllReduce_RSxLD_AGxST nchannels 8 nthreads 64\n");
  EXPECT_EQ(symmetric.choices.at("AllReduce").algorithm, "Symmetric");
  EXPECT_EQ(symmetric.choices.at("AllReduce").channels, 8);
}

TEST(DebugTextTest, PluginsOfTheNetworkKeepTheirNames) {
  const Observed observed = seen(
      "a:1:2 [0] NCCL INFO Channel 00/0 : 0[0] -> 8[0] [send] via NET/AWS Libfabric/2/GDRDMA\n"
      "a:1:2 [0] NCCL INFO NET/OFI Selected Provider is efa (found 4 nics)\n");
  EXPECT_THAT(observed.transports, ElementsAre("NET/AWS Libfabric GDR"));
  EXPECT_THAT(observed.nics_used, ElementsAre(2));
}

TEST(DebugTextTest, DamagedTextIsPassedOver) {
  for (std::size_t length = 0; length < healthy.size(); ++length) (void)seen(healthy.substr(0, length));
  const Observed observed = seen(
      "NCCL INFO\nNCCL INFO \na NCCL INFO Channel 00/0 : 0 -> 1 via\na NCCL INFO Channel via NET/\n"
      "a NCCL INFO NET/IB : Using [\na NCCL INFO NET/IB : Using [9\na NCCL INFO NET/IB : Using [99999999999]x\n"
      "a NCCL INFO x Bytes -> Algo 99 proto -7\na NCCL INFO y Bytes -> Algo\na NCCL INFO 3 coll channels, , ,\n"
      "a NCCL INFO Channel 0 : 0 -> 1 via NET/IB/77777777777777777777\n");
  EXPECT_EQ(observed.collective_channels, 3);
  EXPECT_TRUE(observed.nics.empty());
  EXPECT_TRUE(observed.nics_used.empty());
}

std::string told(const std::string& text, bool collective = true) {
  return method_text(merge_summaries({summary_text(seen(text), collective ? "AllReduce" : "")}), collective);
}

TEST(MethodTest, IsShortAndComplete) {
  EXPECT_EQ(told(std::string(healthy)), "Ring/Simple, 16 channels, P2P/CUMEM + NET/IB GDR mlx5_0-1, NCCL 2.28.9");
  EXPECT_EQ(told(std::string(healthy), false), "32 channels, P2P/CUMEM + NET/IB GDR mlx5_0-1, NCCL 2.28.9");
}

TEST(MethodTest, SaysWhatWasNotTold) {
  EXPECT_EQ(told(""), "algorithm not told by this version, transports not told");
  EXPECT_EQ(told("a NCCL INFO NET/IB : GPU Direct RDMA Disabled for HCA 0 'mlx5_0'\n"
                 "a NCCL INFO Channel 00/0 : 0 -> 1 [send] via NET/IB/0\n"),
            "algorithm not told by this version, NET/IB number0 (GPUDirect RDMA disabled for HCA 0 'mlx5_0')");
}

TEST(MethodTest, RanksAreMergedByNicNames) {
  const std::string first = summary_text(seen(healthy), "AllReduce");
  const std::string second = summary_text(seen("b:1:1 [1] NCCL INFO NET/IB : Using [0]mlx5_2:1/IB [1]mlx5_9:1/IB\n"
                                               "b:1:1 [1] NCCL INFO Channel 00/0 : 1 -> 9 [send] via NET/IB/0/GDRDMA\n"
                                               "b:1:1 [1] NCCL INFO Channel 00/0 : 1 -> 2 via SHM/direct/direct\n"),
                                          "AllReduce");
  EXPECT_EQ(method_text(merge_summaries({first, second, "rubbish\n", ""}), true),
            "Ring/Simple, 16 channels, P2P/CUMEM + SHM + NET/IB GDR mlx5_0-2, NCCL 2.28.9");
}

TEST(MethodTest, NamesAreFoldedByNumber) {
  EXPECT_EQ(format_names({"mlx5_0", "mlx5_1", "mlx5_2", "mlx5_10"}), "mlx5_0-2,mlx5_10");
  EXPECT_EQ(format_names({"eth0", "bond"}), "bond,eth0");
  EXPECT_EQ(format_names({}), "");
}

}  // namespace
}  // namespace assay::nccl
