#include "tests/emulator/model/routes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/emulator/tests/support.hpp"

namespace emulator {
namespace {

using test::one_node;

double peer_rate(const Cluster& cluster, std::size_t from, std::size_t to) {
  const auto& gpus = cluster.nodes()[0].gpus;
  return peer_route(gpus[from], gpus[to]).bytes_per_second;
}

double host_rate(const Cluster& cluster, std::size_t gpu, int numa, bool to_device) {
  return host_route(cluster.nodes()[0].gpus[gpu], numa, to_device).bytes_per_second;
}

TEST(Routes, HealthyHostCopies) {
  const auto a100 = one_node("a100-sxm4-80gb", 8);
  EXPECT_NEAR(host_rate(a100, 0, 0, true), 26e9, 1e8);
  EXPECT_NEAR(host_rate(a100, 0, 0, false), 26e9, 1e8);
  const auto h100 = one_node("h100-sxm5-80gb", 8);
  EXPECT_NEAR(host_rate(h100, 0, 0, true), 55e9, 1e8);
  EXPECT_NEAR(host_rate(h100, 0, 1, true), 0.85 * 55e9, 1e8);
  EXPECT_NEAR(host_rate(h100, 7, 1, true), 55e9, 1e8);
}

TEST(Routes, HealthyPeerCopies) {
  EXPECT_NEAR(peer_rate(one_node("a100-sxm4-80gb", 8), 0, 7), 274e9, 1e9);
  const double h100 = peer_rate(one_node("h100-sxm5-80gb", 8), 0, 7);
  EXPECT_GE(h100, 376e9);
  EXPECT_LE(h100, 396.4e9);
  const auto l40s = one_node("l40s", 8);
  EXPECT_NEAR(peer_rate(l40s, 0, 1), 24e9, 0.5e9);
  EXPECT_NEAR(peer_rate(l40s, 0, 7) / peer_rate(l40s, 0, 1), 0.85, 1e-9);
}

TEST(Routes, FaultsMakeThemSlower) {
  EXPECT_NEAR(host_rate(one_node("h100-sxm5-80gb", 8, "kind = \"pcie_width\"\ngpu = 0"), 0, 0, true), 27.5e9, 1e8);
  EXPECT_NEAR(host_rate(one_node("h100-sxm5-80gb", 8, "kind = \"pcie_gen\"\ngpu = 0"), 0, 0, true), 3.2e9, 1e8);
  const auto dead = one_node("h100-sxm5-80gb", 8, "kind = \"dead_nvlink\"\ngpu = 1\ncount = 6");
  const auto healthy = one_node("h100-sxm5-80gb", 8);
  EXPECT_NEAR(peer_rate(dead, 0, 1) / peer_rate(healthy, 0, 1), 12.0 / 18, 1e-9);
  EXPECT_NEAR(peer_rate(dead, 1, 0) / peer_rate(healthy, 1, 0), 12.0 / 18, 1e-9);
  EXPECT_EQ(peer_rate(dead, 0, 2), peer_rate(healthy, 0, 2));
}

TEST(Routes, WithoutNvlinkPeersMeetOverPcie) {
  const auto cluster = one_node("h100-sxm5-80gb", 8, "kind = \"missing_nvlink\"\ngpu = 1");
  const auto& gpus = cluster.nodes()[0].gpus;
  EXPECT_EQ(nvlinks_between(gpus[0], gpus[1]), 0);
  EXPECT_TRUE(peer_possible(gpus[0], gpus[1]));
  EXPECT_NEAR(peer_rate(cluster, 0, 1), 0.92 * 55e9, 1e9);
}

TEST(Routes, WithoutPeerAccessTheyStopInHostMemory) {
  const auto cluster = one_node("h100-sxm5-80gb", 8, "kind = \"p2p_off\"\ngpu = 1");
  const auto& gpus = cluster.nodes()[0].gpus;
  EXPECT_FALSE(peer_possible(gpus[0], gpus[1]));
  EXPECT_FALSE(peer_possible(gpus[1], gpus[0]));
  EXPECT_TRUE(peer_possible(gpus[0], gpus[2]));
  EXPECT_FALSE(peer_route(gpus[0], gpus[1]).peer_to_peer);
  EXPECT_LT(peer_rate(cluster, 0, 1), 0.6 * 55e9);
  const auto consumer = one_node("rtx-4090", 2);
  EXPECT_FALSE(peer_possible(consumer.nodes()[0].gpus[0], consumer.nodes()[0].gpus[1]));
}

TEST(Routes, BridgedPairsOnly) {
  const auto cluster =
      test::cluster_of("[[nodes]]\ngpus = { product = \"a100-pcie-80gb\", count = 4, interconnect = \"bridge\" }\n");
  EXPECT_NEAR(peer_rate(cluster, 0, 1), 274e9, 1e9);
  EXPECT_LT(peer_rate(cluster, 1, 2), 30e9);
}

class Resources : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { test::use_faulty_cluster(); }
};

TEST_F(Resources, HaveNumbersNamesAndCapacities) {
  const auto& node = Cluster::current().nodes()[1];
  const auto route = peer_route(node.gpus[0], node.gpus[1]);
  ASSERT_EQ(route.resources.size(), 2U);
  EXPECT_EQ(resource_name(route.resources[0]), "node01 gpu 0 nvlink out");
  EXPECT_EQ(resource_name(route.resources[1]), "node01 gpu 1 nvlink in");
  for (const int id : route.resources) {
    EXPECT_LT(id, resource_count());
    EXPECT_DOUBLE_EQ(capacity(id), route.bytes_per_second);
  }
}

TEST_F(Resources, ADeadLinkLowersTheCardsCapacity) {
  const auto& gpus = Cluster::current().nodes()[0].gpus;
  const auto route = peer_route(gpus[0], gpus[4]);
  EXPECT_NEAR(capacity(route.resources[1]) / capacity(route.resources[0]), 16.0 / 18, 1e-9);
}

TEST_F(Resources, HostCopiesShareTheBridge) {
  const auto& gpu = Cluster::current().nodes()[0].gpus[0];
  const auto in = host_route(gpu, 0, true);
  const auto out = host_route(gpu, 0, false);
  const std::set<int> both(in.resources.begin(), in.resources.end());
  for (const int id : out.resources) EXPECT_FALSE(both.contains(id)) << resource_name(id);
  EXPECT_EQ(resource_name(in.resources.at(1)), "node00 bridge 0 in");
  EXPECT_NEAR(capacity(in.resources.at(1)), 55e9, 1e8);
}

TEST_F(Resources, NicsReachTheirRate) {
  const auto& node = Cluster::current().nodes()[1];
  const auto near = nic_route(node.nics[0], &node.gpus[0], true);
  EXPECT_NEAR(near.bytes_per_second, 49e9, 1e8);
  EXPECT_TRUE(near.peer_to_peer);
  EXPECT_DOUBLE_EQ(capacity(near.resources.at(0)), 49e9);
  EXPECT_LT(nic_route(node.nics[0], &node.gpus[9], true).bytes_per_second, 0.9 * 49e9);
}

}  // namespace
}  // namespace emulator
