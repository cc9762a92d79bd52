// Rates of jobs on emulated clusters against closed forms that know nothing of the model: rates of links and NICs as
// the cluster files have them, and what is published for such machines.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/emulator/nccl/tests/job.hpp"

namespace emulator::nccl::tests {
namespace {

constexpr double a100_link = 300e9, h100_link = 450e9;            // NVLink, one way
constexpr double ndr = 400e9 / 8 * 0.98, hdr = 200e9 / 8 * 0.98;  // delivered by a port
const std::string huge = "8388608";                               // KiB

/// Bus bandwidth of an all-reduce of 8 GiB.
double all_reduce(const std::string& cluster, int ranks, int per_node, const std::string& faults = "",
                  std::vector<std::pair<std::string, std::string>> environment = {}) {
  const auto outcome = Job{.cluster = cluster,
                           .scenario = "curve",
                           .ranks = ranks,
                           .per_node = per_node,
                           .words = {huge},
                           .faults = faults,
                           .environment = std::move(environment)}
                           .run();
  EXPECT_TRUE(outcome.sound()) << outcome.errors;
  return outcome.number(0, huge);
}

double h100_ring(const std::string& faults = "") {
  return all_reduce("h100-4x8.toml", 32, 8, faults, {{"NCCL_ALGO", "Ring"}});
}

void expect_rate(double rate, double expected, double tolerance = 0.02) {
  EXPECT_NEAR(rate / 1e9, expected / 1e9, tolerance * expected / 1e9);
}

std::string fault(const std::string& kind, const std::string& rest) {
  return fmt::format("[[fault]]\nkind = '{}'\n{}\n", kind, rest);
}

TEST(Rates, EightA100FollowTheMeasuredCurve) {
  const std::vector<std::pair<std::string, double>> measured{
      {"64", 3.10},       {"256", 9.90},      {"1024", 24.6},     {"2048", 39.0},
      {"4096", 66.9},     {"8192", 92.3},     {"16384", 120.4},   {"32768", 156.3},
      {"65536", 202.2},   {"131072", 203.7},  {"262144", 223.9},  {"524288", 225.7},
      {"1048576", 231.4}, {"2097152", 232.9}, {"4194304", 235.1}, {"8388608", 235.7}};
  Job job{.cluster = "a100-1x8.toml", .scenario = "curve", .ranks = 8};
  for (const auto& [kib, rate] : measured) job.words.push_back(kib);
  const auto outcome = job.run();
  ASSERT_TRUE(outcome.sound()) << outcome.errors;
  for (const auto& [kib, rate] : measured) EXPECT_NEAR(outcome.number(0, kib) / 1e9, rate, 0.1 * rate) << kib;
}

TEST(Rates, H100InOneNode) {
  expect_rate(all_reduce("h100-4x8.toml", 8, 8), 480e9);
  expect_rate(all_reduce("h100-4x8.toml", 8, 8, "", {{"NCCL_NVLS_ENABLE", "0"}}), 370e9);
}

TEST(Rates, L40SWithoutNvlink) {
  const double rate = all_reduce("l40s-2x8.toml", 8, 8);
  EXPECT_GT(rate, 18e9);
  EXPECT_LT(rate, 24e9);
}

TEST(Rates, FourNodesOfH100) {
  const double ring = h100_ring();
  EXPECT_GT(ring / 400e9, 0.85);
  EXPECT_LT(ring / 400e9, 0.96);
  expect_rate(ring, 8 * ndr * 0.93);
  const double free = all_reduce("h100-4x8.toml", 32, 8);
  EXPECT_LT(free, 400e9 * 31 / 24) << "hierarchical ceiling";
  EXPECT_GT(free, ring);
}

TEST(Rates, DeadNvlinksOfOneCardLimitItsNode) {
  const auto dead = fault("dead_nvlink", "node = 0\ngpu = 5\ncount = 2");
  expect_rate(all_reduce("a100-1x8.toml", 8, 8, dead), 235.7e9 * 10 / 12);
  expect_rate(all_reduce("h100-4x8.toml", 8, 8, dead), 480e9 * 16 / 18);
}

TEST(Rates, ACardWithoutNvlinkSendsTheRingOverPcie) {
  EXPECT_LT(all_reduce("a100-1x8.toml", 8, 8, fault("missing_nvlink", "node = 0\ngpu = 5")), 27e9);
  EXPECT_LT(all_reduce("a100-1x8.toml", 8, 8, fault("p2p_off", "node = 0\ngpu = 5")), 27e9);
}

TEST(Rates, ASlowNicSlowsTheRings) {
  expect_rate(h100_ring(fault("slow_nic", "node = 2\nnic = 4\ngbit = 100")), 8 * 100e9 / 8 * 0.93, 0.05);
  expect_rate(h100_ring(fault("down_rated_nic", "node = 2\nnic = 4\ngbit = 200")), 8 * 200e9 / 8 * 0.93, 0.05);
}

TEST(Rates, FewerNicsAreFewerRings) {
  expect_rate(h100_ring(fault("dead_nic", "node = 2\nnic = 4")), 7 * ndr * 0.93);
  expect_rate(h100_ring(fault("half_nics", "node = 1")), 4 * ndr * 0.93);
}

TEST(Rates, WithoutGdrAndThroughSockets) {
  const double without = h100_ring(fault("gdr_off", "node = 3"));
  EXPECT_GT(without, 120e9);
  EXPECT_LT(without, 8 * ndr * 0.65);
  EXPECT_LT(h100_ring(fault("socket_transport", "")), 4e9);
  EXPECT_LT(all_reduce("h100-4x8.toml", 16, 8, "", {{"NCCL_ALGO", "Ring"}, {"NCCL_IB_DISABLE", "1"}}), 4e9);
  EXPECT_LT(all_reduce("h100-4x8.toml", 16, 8, "", {{"NCCL_ALGO", "Ring"}, {"NCCL_NET_GDR_LEVEL", "LOC"}}),
            8 * ndr * 0.65);
}

TEST(Rates, AnOversubscribedSpineShowsWithAllNodesOnly) {
  const auto spine = fault("oversubscribed", "ratio = 2");
  expect_rate(h100_ring(spine), 8 * ndr / 2 * 0.93);
  const std::vector<std::pair<std::string, std::string>> ring{{"NCCL_ALGO", "Ring"}};
  expect_rate(all_reduce("h100-4x8.toml", 16, 8, spine, ring), 8 * ndr * 0.93);
  expect_rate(all_reduce("h100-4x8.toml", 8, 8, spine), 480e9);
}

TEST(Rates, ANoisyNeighbourTakesItsShare) {
  const auto noise = fault("noisy_neighbour", "node = 1\nnic = 2\nshare = 0.5\nperiod_seconds = 0.001");
  // Bursts of half the period: a quarter of the NIC over many of them.
  expect_rate(h100_ring(noise), 8 * ndr * 0.93 * 0.75, 0.03);
}

TEST(Rates, JitterOfOneCardSpreadsTheTimes) {
  const Job calm{
      .cluster = "a100-1x8.toml", .scenario = "curve", .ranks = 2, .words = {"1", "2", "4", "8", "16", "32"}};
  auto shaky = calm;
  shaky.faults = fault("jitter", "node = 0\ngpu = 1\nsigma = 0.2");
  const auto a = calm.run(), b = shaky.run();
  double worst = 0;
  for (const auto& word : calm.words) worst = std::max(worst, a.number(0, word) / b.number(0, word));
  EXPECT_GT(worst, 1.03);
}

TEST(Rates, MessagesUseOneLinkOrOneNic) {
  const auto outcome = Job{.cluster = "h100-4x8.toml", .scenario = "ring", .ranks = 4, .per_node = 2}.run();
  ASSERT_TRUE(outcome.sound()) << outcome.errors;
  // Rank 0 sends inside its node, but receives from another: the slower of the two.
  for (int rank = 0; rank < 4; ++rank) expect_rate(outcome.number(rank, "rate"), ndr * 0.95);
  const auto inside = Job{.cluster = "h100-4x8.toml", .scenario = "ring", .ranks = 8, .per_node = 8}.run();
  for (int rank = 0; rank < 8; ++rank) expect_rate(inside.number(rank, "rate"), h100_link * 0.83);
}

// The first four cards of an L40S node use the same port, which delivers 0.96 of 200 Gbit/s.
TEST(Rates, CommunicatorsOfDisjointRanksShareAPort) {
  Job job{.cluster = "l40s-2x8.toml",
          .scenario = "pairs_at_once",
          .ranks = 8,
          .per_node = 4,
          .words = {"alone"},
          .environment = {{"NCCL_ALGO", "Ring"}}};
  const double port = 200e9 / 8 * 0.96 * 0.93;
  const auto alone = job.run();
  ASSERT_TRUE(alone.sound()) << alone.errors;
  expect_rate(alone.number(0, "rate"), port);
  job.words = {"together"};
  const auto together = job.run();
  ASSERT_TRUE(together.sound()) << together.errors;
  for (int rank = 0; rank < 8; ++rank) expect_rate(together.number(rank, "rate"), port / 4);
}

TEST(Rates, TheLoopbackOfNicsCarriesARingWithoutPeersAndSharedMemory) {
  const double rate = all_reduce("a100-1x8.toml", 8, 8, "", {{"NCCL_P2P_DISABLE", "1"}, {"NCCL_SHM_DISABLE", "1"}});
  expect_rate(rate, hdr * 0.93);
  EXPECT_LT(rate, a100_link);
}

}  // namespace
}  // namespace emulator::nccl::tests
