#include "tests/emulator/nccl/model.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/emulator/nccl/curve.hpp"
#include "tests/emulator/nccl/tests/shapes.hpp"

namespace emulator::nccl {
namespace {

using tests::Machine;
using tests::nic_segment;
using tests::shape_of;

constexpr double gib = 1024.0 * 1024 * 1024;
const Machine a100{.gpus = 8, .generation = 3, .gpu_rate = 300e9};
const Machine h100{.gpus = 8, .generation = 4, .gpu_rate = 450e9, .nvls = true};
Machine h100_nodes(int nodes) {
  Machine machine = h100;
  machine.nodes = nodes;
  return machine;
}
const Machine l40s{.gpus = 8, .generation = 0, .gpu_rate = 26e9};

double bus_rate(Collective collective, const Shape& shape, double bytes, const Choice& choice = {}) {
  const double n = shape.ranks();
  const double factor = collective == Collective::all_reduce                                      ? 2 * (n - 1) / n
                        : collective == Collective::broadcast || collective == Collective::reduce ? 1
                        : collective == Collective::send_recv                                     ? 1
                                                                                                  : (n - 1) / n;
  return bytes / estimate(collective, shape, bytes, choice)->seconds * factor;
}
Choice only(Algorithm algorithm) { return {.algorithms = {algorithm}}; }

// The mean of 729 nodes of 8 x A100: size [KiB], bus bandwidth [GB/s].
const std::vector<std::pair<double, double>> a100_curve{
    {64, 3.10},       {256, 9.90},      {1024, 24.6},     {2048, 39.0},    {4096, 66.9},    {8192, 92.3},
    {16384, 120.4},   {32768, 156.3},   {65536, 202.2},   {131072, 203.7}, {262144, 223.9}, {524288, 225.7},
    {1048576, 231.4}, {2097152, 232.9}, {4194304, 235.1}, {8388608, 235.7}};

TEST(TimeModel, FollowsTheMeasuredCurveOfEightA100AtEverySize) {
  const auto shape = shape_of(a100);
  for (const auto& [kib, measured] : a100_curve) {
    EXPECT_NEAR(bus_rate(Collective::all_reduce, shape, kib * 1024) / 1e9, measured, 0.1 * measured) << kib << " KiB";
  }
  for (const double bytes : {8.0, 1024.0, 16384.0}) {
    const double seconds = estimate(Collective::all_reduce, shape, bytes)->seconds;
    EXPECT_NEAR(seconds, 35.3e-6, 0.05 * 35.3e-6) << bytes;
  }
}

TEST(TimeModel, TimesNeverFallWithTheSize) {
  for (const auto& machine : {a100, h100, h100_nodes(4), l40s}) {
    const auto shape = shape_of(machine);
    double before = 0;
    for (double bytes = 8; bytes < 16 * gib; bytes *= 1.3) {
      const double seconds = estimate(Collective::all_reduce, shape, bytes)->seconds;
      EXPECT_GE(seconds, before) << bytes;
      before = seconds;
    }
  }
}

TEST(TimeModel, H100InOneNode) {
  const auto shape = shape_of(h100);
  EXPECT_NEAR(bus_rate(Collective::all_reduce, shape, 16 * gib) / 1e9, 480, 10);
  EXPECT_EQ(estimate(Collective::all_reduce, shape, 16 * gib)->algorithm, Algorithm::nvls);
  EXPECT_NEAR(bus_rate(Collective::all_reduce, shape, 16 * gib, only(Algorithm::ring)) / 1e9, 370, 5);
  EXPECT_NEAR(bus_rate(Collective::all_gather, shape, 16 * gib) / 1e9, 362, 12);
  const double floor = estimate(Collective::all_reduce, shape, 8)->seconds;
  EXPECT_GE(floor, 18e-6);
  EXPECT_LE(floor, 25e-6);
}

TEST(TimeModel, NvlsByNumberOfGpusAsMeasuredOnH200) {
  for (const auto& [gpus, measured] :
       std::vector<std::pair<int, double>>{{4, 363}, {5, 414}, {6, 436}, {7, 460}, {8, 473}}) {
    Machine machine = h100;
    machine.gpus = gpus;
    EXPECT_NEAR(bus_rate(Collective::all_reduce, shape_of(machine), 16 * gib) / 1e9, measured, 0.03 * measured) << gpus;
  }
}

TEST(TimeModel, NvlsNeedsThreeRanksOfOneNode) {
  Machine machine = h100;
  machine.gpus = 2;
  EXPECT_FALSE(possible(Collective::all_reduce, Algorithm::nvls, shape_of(machine)));
  EXPECT_FALSE(possible(Collective::all_reduce, Algorithm::nvls, shape_of(h100_nodes(2))));
  EXPECT_FALSE(possible(Collective::all_gather, Algorithm::nvls, shape_of(h100)));
  EXPECT_FALSE(estimate(Collective::all_reduce, shape_of(machine), 8, only(Algorithm::nvls)).has_value());
}

// Flat ring: the busiest of NVLink (f / rate, one of 8 rings leaves out each hop) and the node's NICs (f / sum of
// them).
TEST(TimeModel, RingOverNodesIsBoundByTheSumOfTheNics) {
  for (const int nodes : {2, 4, 8}) {
    const double rate =
        bus_rate(Collective::all_reduce, shape_of(h100_nodes(nodes)), 1024 * gib, only(Algorithm::ring));
    EXPECT_NEAR(rate, std::min(370e9 * 8 / 7, 8 * 50e9 * 0.93), 1e9) << nodes;
    EXPECT_GE(rate / 400e9, 0.85);
    EXPECT_LE(rate / 400e9, 0.96);
  }
}

// Hierarchical: NICs carry 2(k-1)/k of the size per node, NVLink 1 + 1/g of it per GPU.
TEST(TimeModel, NvlsTreeFollowsTheHierarchicalBound) {
  for (const int k : {2, 4, 8}) {
    const double n = 8.0 * k;
    const double wire = 2.0 * (k - 1) / k / (8 * 50e9 * 0.75);
    const double link = (1 + 1.0 / 8) / (450e9 * 0.91 * (480.0 / 450 * 8 / 14 * 9 / 8));
    const double expected = 2 * (n - 1) / n / std::max(wire, link);
    const double rate =
        bus_rate(Collective::all_reduce, shape_of(h100_nodes(k)), 1024 * gib, only(Algorithm::nvls_tree));
    EXPECT_NEAR(rate / 1e9, expected / 1e9, 0.01 * expected / 1e9) << k;
    EXPECT_LE(rate, 400e9 * (n - 1) / (n - 8)) << "above b(n-1)/(k-1)";
  }
}

TEST(TimeModel, TwoNodesReachMoreThanTheirNics) {
  EXPECT_GT(bus_rate(Collective::all_reduce, shape_of(h100_nodes(2)), 16 * gib), 400e9);
}

TEST(TimeModel, TreeOverNodesIsFastForSmallSizes) {
  const auto shape = shape_of(h100_nodes(4));
  Choice both{.algorithms = {Algorithm::ring, Algorithm::tree}};
  EXPECT_EQ(estimate(Collective::all_reduce, shape, 1024, both)->algorithm, Algorithm::tree);
  EXPECT_EQ(estimate(Collective::all_reduce, shape, 16 * gib, both)->algorithm, Algorithm::ring);
  // base 8 us, 6 in-node hops... up and down: 2 * (7 * 1 us + 2 levels * 4 us)
  EXPECT_NEAR(estimate(Collective::all_reduce, shape, 8, only(Algorithm::tree))->seconds, 38e-6, 0.5e-6);
}

TEST(TimeModel, OneSlowNicSlowsEveryRing) {
  auto shape = shape_of(h100_nodes(4));
  const double healthy = bus_rate(Collective::all_reduce, shape, 64 * gib, only(Algorithm::ring));
  shape.segments[static_cast<std::size_t>(nic_segment(h100_nodes(4), 2, 4))].rate = 12.5e9;
  const double slow = bus_rate(Collective::all_reduce, shape, 64 * gib, only(Algorithm::ring));
  EXPECT_NEAR(slow / healthy, 0.25, 0.01);
}

TEST(TimeModel, DeadNvlinksOfOneGpuLimitRingAndNvls) {
  auto shape = shape_of(h100);
  for (const int port : {10, 11}) shape.segments[static_cast<std::size_t>(port)].rate = 450e9 * 16 / 18;
  EXPECT_NEAR(bus_rate(Collective::all_reduce, shape, 64 * gib, only(Algorithm::ring)) / 1e9, 370.0 * 16 / 18, 3);
  EXPECT_NEAR(bus_rate(Collective::all_reduce, shape, 64 * gib, only(Algorithm::nvls)) / 1e9, 480.0 * 16 / 18, 3);
}

TEST(TimeModel, WithoutNvlinkTheHostPathLimits) {
  const double rate = bus_rate(Collective::all_reduce, shape_of(l40s), 8 * gib);
  EXPECT_GT(rate, 18e9);
  EXPECT_LT(rate, 23e9);
}

TEST(TimeModel, TheSpineLimitsWhatCrossesItAlone) {
  auto shape = shape_of(h100_nodes(4));
  shape.spine_rate = 4 * 400e9 / 2;
  EXPECT_NEAR(bus_rate(Collective::all_reduce, shape, 64 * gib, only(Algorithm::ring)), 200e9 * 0.93, 1e9);
  auto pair = shape_of(h100_nodes(2));
  const double free = bus_rate(Collective::all_reduce, pair, 64 * gib, only(Algorithm::ring));
  pair.spine_rate = shape.spine_rate;
  EXPECT_EQ(bus_rate(Collective::all_reduce, pair, 64 * gib, only(Algorithm::ring)), free);
}

// Messages: the busiest port; 0.83 of NVLink, 0.95 of a NIC.
TEST(TimeModel, MessagesLoadThePortsTheyCross) {
  const auto inside = shape_of(h100);
  const double big = 1024 * gib;
  EXPECT_NEAR(bus_rate(Collective::all_to_all, inside, big), 450e9 * 0.83, 1e9);
  EXPECT_NEAR(bus_rate(Collective::gather, inside, big), 450e9 * 0.83, 1e9);
  EXPECT_NEAR(bus_rate(Collective::scatter, inside, big), 450e9 * 0.83, 1e9);
  EXPECT_NEAR(bus_rate(Collective::send_recv, inside, big), 450e9 * 0.83, 1e9);
  const auto across = shape_of(h100_nodes(4));
  EXPECT_NEAR(bus_rate(Collective::all_to_all, across, big), 50e9 * 0.95 * 31 / 24, 1e9);
  EXPECT_NEAR(bus_rate(Collective::send_recv, across, big), 50e9 * 0.95, 1e9);
}

TEST(TimeModel, PinnedProtocolsAreNeverFasterThanTheFreeChoice) {
  const auto shape = shape_of(a100);
  for (const auto protocol : {Protocol::ll, Protocol::ll128, Protocol::simple}) {
    for (double bytes = 8; bytes < 8 * gib; bytes *= 4) {
      const double pinned = estimate(Collective::all_reduce, shape, bytes, {.protocols = {protocol}})->seconds;
      EXPECT_GE(pinned, estimate(Collective::all_reduce, shape, bytes)->seconds * (1 - 1e-12));
    }
  }
  EXPECT_EQ(estimate(Collective::all_reduce, shape, 1024)->protocol, Protocol::ll);
  EXPECT_EQ(estimate(Collective::all_reduce, shape, 2 << 20)->protocol, Protocol::ll128);
  EXPECT_EQ(estimate(Collective::all_reduce, shape, gib)->protocol, Protocol::simple);
  EXPECT_NEAR(bus_rate(Collective::all_reduce, shape, gib, {.protocols = {Protocol::ll}}) / 1e9, 235.7 / 3, 3);
}

TEST(Curve, IsNeverAboveItsBounds) {
  for (double x = 1e-6; x < 1e6; x *= 1.1) {
    EXPECT_LE(efficiency(x), std::min(x, 1.0));
    EXPECT_GT(efficiency(x), 0);
  }
  EXPECT_EQ(curve_seconds(20e-6, 1e-11, 0), 20e-6);
}

}  // namespace
}  // namespace emulator::nccl
