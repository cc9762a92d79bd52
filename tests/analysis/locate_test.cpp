#include "analysis/locate/locate.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "analysis/locate/observations.hpp"
#include "core/layout.hpp"
#include "core/random.hpp"
#include "matrix_builder.hpp"

namespace assay::locate {
namespace {

using test::MatrixBuilder;

TEST(Locate, NamesOneNicInsteadOfFourteenSlowPairs) {
  MatrixBuilder builder(8, 2);
  builder.across([](const End& a, const End& b) {
    const auto slow = [](const End& end) { return end.node == 7 && end.nic == 1; };
    return slow(a) || slow(b) ? 25.5e9 : 50e9;
  });
  const Localisation found = locate({builder.matrix()}, builder.names());
  ASSERT_EQ(found.findings.size(), 1U);
  EXPECT_EQ(found.findings[0].parts.front(), (Part{.kind = PartKind::nic, .node = 7, .unit = 1}));
  EXPECT_EQ(found.findings[0].sentence,
            "NIC mlx5_1 of node7 or GPU 1 of node7 delivers 51 % of what its peers do (fourteen slow pairs have it in "
            "common); no measurement here tells them apart");
  EXPECT_NEAR(found.findings[0].factor, 50 / 25.5, 0.03);
  EXPECT_LT(found.findings[0].factor_interval.low, 50 / 25.5);
  EXPECT_GT(found.findings[0].factor_interval.high, 50 / 25.5);
}

TEST(Locate, LeavesTheGpuOutWhenItsOtherPathsAreSound) {
  MatrixBuilder across(8, 4);
  across.across([](const End& a, const End& b) {
    const auto slow = [](const End& end) { return end.node == 2 && end.nic == 3; };
    return slow(a) || slow(b) ? 30e9 : 50e9;
  });
  MatrixBuilder inside(8, 4, "gpu.peer_copy");
  inside.in_nodes([](const End&, const End&) { return 400e9; });
  const Localisation found = locate({across.matrix(), inside.matrix()}, across.names());
  ASSERT_EQ(found.findings.size(), 1U);
  EXPECT_EQ(found.findings[0].parts, (std::vector<Part>{{.kind = PartKind::nic, .node = 2, .unit = 3}}));
}

TEST(Locate, FindsNothingInASoundMatrix) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    MatrixBuilder builder(6, 4, "nccl.pairs", seed);
    builder.across([](const End&, const End&) { return 50e9; });
    EXPECT_TRUE(locate({builder.matrix()}, builder.names()).findings.empty()) << seed;
  }
}

TEST(Locate, SaysWhenNoMeasurementTellsTwoEndsApart) {
  MatrixBuilder builder(2, 8);
  builder.same_rail([](const End& a, const End&) { return a.nic == 5 ? 30e9 : 50e9; });
  const Localisation found = locate({builder.matrix()}, builder.names());
  ASSERT_EQ(found.findings.size(), 1U);
  const auto& parts = found.findings[0].parts;
  const std::set<Part> set(parts.begin(), parts.end());
  EXPECT_EQ(set.count({.kind = PartKind::nic, .node = 0, .unit = 5}), 1U);
  EXPECT_EQ(set.count({.kind = PartKind::nic, .node = 1, .unit = 5}), 1U);
  EXPECT_EQ(set.count({.kind = PartKind::rail, .unit = 5}), 1U);
}

TEST(Locate, NamesANodeRatherThanAllOfItsNics) {
  MatrixBuilder builder(8, 4);
  builder.across([](const End& a, const End& b) { return a.node == 4 || b.node == 4 ? 45e9 : 50e9; });
  const Localisation found = locate({builder.matrix()}, builder.names());
  ASSERT_EQ(found.findings.size(), 1U);
  EXPECT_EQ(found.findings[0].parts.front(), (Part{.kind = PartKind::node, .node = 4}));
}

TEST(Locate, NamesARail) {
  MatrixBuilder builder(6, 4);
  builder.across([](const End& a, const End& b) { return a.rail == 2 || b.rail == 2 ? 40e9 : 50e9; });
  const Localisation found = locate({builder.matrix()}, builder.names());
  ASSERT_EQ(found.findings.size(), 1U);
  EXPECT_EQ(found.findings[0].parts.front(), (Part{.kind = PartKind::rail, .unit = 2}));
}

TEST(Locate, KeepsAPathApartFromItsEnds) {
  MatrixBuilder builder(6, 4);
  builder.across(
      [](const End& a, const End& b) { return a.node == 1 && a.nic == 0 && b.node == 4 && b.nic == 2 ? 20e9 : 50e9; });
  const Localisation found = locate({builder.matrix()}, builder.names());
  ASSERT_EQ(found.findings.size(), 1U);
  EXPECT_EQ(found.findings[0].parts,
            (std::vector<Part>{{.kind = PartKind::link, .node = 1, .unit = 0, .other_node = 4, .other_unit = 2}}));
}

TEST(Locate, SeesWhetherSendingOrReceivingIsSlow) {
  MatrixBuilder builder(3, 8, "gpu.peer_copy");
  builder.copies([](const End& from, const End&) { return from.node == 1 && from.gpu == 6 ? 300e9 : 400e9; });
  const Localisation found = locate({builder.matrix()}, builder.names());
  ASSERT_EQ(found.findings.size(), 1U);
  EXPECT_EQ(found.findings[0].parts.front(),
            (Part{.kind = PartKind::gpu, .side = Side::sending, .node = 1, .unit = 6}));
}

TEST(Locate, FindsThreePartsOfDifferentKindsAtOnce) {
  MatrixBuilder builder(10, 4);
  builder.across([](const End& a, const End& b) {
    double rate = 50e9;
    for (const End& end : {a, b}) {
      if (end.node == 3) rate = std::min(rate, 40e9);
      if (end.node == 5 && end.nic == 1) rate = std::min(rate, 25e9);
      if (end.node == 8 && end.nic == 2) rate = std::min(rate, 46e9);
    }
    return rate;
  });
  const Localisation found = locate({builder.matrix()}, builder.names());
  std::set<Part> first;
  for (const Finding& finding : found.findings) first.insert(finding.parts.front());
  EXPECT_EQ(first, (std::set<Part>{{.kind = PartKind::node, .node = 3},
                                   {.kind = PartKind::nic, .node = 5, .unit = 1},
                                   {.kind = PartKind::nic, .node = 8, .unit = 2}}));
}

TEST(Locate, AddsLatenciesUp) {
  MatrixBuilder builder(8, 1, "mpi.pairs");
  builder.latencies([](const End& a, const End& b) {
    return 2e-6 + (a.node == 2 || b.node == 2 ? 1e-6 : 0) + (a.node == 6 || b.node == 6 ? 3e-6 : 0);
  });
  const Localisation found = locate({builder.matrix()}, builder.names());
  ASSERT_EQ(found.findings.size(), 2U);
  for (const Finding& finding : found.findings) {
    EXPECT_EQ(finding.parts.front().kind, PartKind::node);
    EXPECT_NEAR(finding.factor, finding.parts.front().node == 2 ? 1.5 : 2.5, 0.05);
  }
}

TEST(Locate, ComparesSingleFigures) {
  MatrixBuilder builder(4, 8, "gpu.memory");
  builder.singles([](const End& end) { return end.node == 1 && end.gpu == 2 ? 2.4e12 : 3e12; });
  const Localisation found = locate({builder.matrix()}, builder.names());
  ASSERT_EQ(found.findings.size(), 1U);
  EXPECT_EQ(found.findings[0].sentence, "GPU 2 of node1 delivers 80 % of what its peers do");
}

TEST(Locate, TakesRunWideOffsetsOfEpochsOut) {
  MatrixBuilder builder(6, 4);
  for (int epoch = 0; epoch < 5; ++epoch) builder.offset_of_epoch(epoch, 0.1 * (epoch * 3 % 5));
  builder.across([](const End& a, const End&) { return a.node == 0 && a.nic == 1 ? 45e9 : 50e9; });
  const PairMatrix matrix = builder.matrix();
  EXPECT_LT(observe(matrix, {}).within_sigma, 0.02);
  EXPECT_EQ(locate({matrix}, builder.names()).findings.size(), 1U);
}

TEST(Locate, DoesNotTakeManySlowPathsForFaults) {
  MatrixBuilder builder(12, 1);
  Random random(5);
  builder.across([&](const End&, const End&) { return random.uniform() < 0.35 ? 30e9 : 50e9; });
  const Localisation found = locate({builder.matrix()}, builder.names());
  for (const Finding& finding : found.findings) EXPECT_NE(finding.parts.front().kind, PartKind::link);
  EXPECT_TRUE(found.matrices[0].unexplained_pattern);
  EXPECT_FALSE(found.matrices[0].suspects.empty());
}

TEST(Locate, LooksAgainAtASuspectAlone) {
  MatrixBuilder builder(6, 2);
  builder.across([](const End& a, const End& b) { return a.node == 0 && b.node == 1 && a.nic == b.nic ? 42e9 : 50e9; });
  const PairMatrix matrix = builder.matrix();
  const MatrixReport report = locate_in(matrix, {}, builder.names(), {.false_alarms = 1e-30});
  ASSERT_FALSE(report.suspects.empty());
  MatrixBuilder slow(6, 2);
  slow.across([](const End& a, const End& b) { return a.node == 0 && b.node == 1 && a.nic == b.nic ? 42e9 : 50e9; });
  MatrixBuilder quick(6, 2);
  quick.across([](const End&, const End&) { return 50e9; });
  EXPECT_EQ(look_again(matrix, report, report.suspects[0], slow.matrix()), SecondLook::slow_link);
  EXPECT_EQ(look_again(matrix, report, report.suspects[0], quick.matrix()), SecondLook::congestion);
  EXPECT_EQ(look_again(matrix, report, report.suspects[0], MatrixBuilder(6, 2).matrix()), SecondLook::not_measured);
}

TEST(Locate, EmptyAndTinyMatricesHaveNoCulprits) {
  EXPECT_TRUE(locate({}, {}).findings.empty());
  EXPECT_TRUE(locate({PairMatrix{}}, {}).findings.empty());
  MatrixBuilder two(2, 1);
  two.across([](const End&, const End&) { return 50e9; });
  EXPECT_TRUE(locate({two.matrix()}, two.names()).findings.empty());
}

TEST(Part, KeysAreReversible) {
  for (const Part& part : {Part{.kind = PartKind::leaf, .side = Side::receiving, .node = 200'000, .unit = 2000},
                           Part{.kind = PartKind::link, .node = 3, .unit = 0, .other_node = 5, .other_unit = 7},
                           Part{.kind = PartKind::gpu}}) {
    EXPECT_EQ(part_of(key_of(part)), part);
  }
}

}  // namespace
}  // namespace assay::locate
