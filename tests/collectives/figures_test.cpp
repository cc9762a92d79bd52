// Amounts of work against values reckoned by hand from docs/metrics.md.

#include <gtest/gtest.h>

#include <map>

#include "collectives/mpi/collective.hpp"
#include "tests/collectives/case_runs.hpp"
#include "tests/collectives/host_device.hpp"

namespace assay {
namespace {

using Values = std::vector<std::pair<std::string, std::string>>;

void expect_work(const std::string& name, const Values& values, const Work& expected) {
  const Point point(values);
  SCOPED_TRACE(name + "/" + point.text());
  on_each_set(
      case_named(name), Layout::single_node(world().size(), 2), point,
      [&](Case& made, Group&) {
        const Work work = made.work();
        EXPECT_EQ(work.kind, expected.kind);
        EXPECT_DOUBLE_EQ(work.amount, expected.amount);
        EXPECT_EQ(work.direction, expected.direction);
        EXPECT_DOUBLE_EQ(work.bus_factor, expected.bus_factor);
        run_batch(made, 1);
        EXPECT_EQ(made.verify().wrong, 0U);
      },
      host_device());
}

Work bytes(double amount, double factor, Direction direction = Direction::none) {
  return {WorkKind::bytes, amount, direction, factor};
}

struct ByRanks {
  double reduce_factor;    ///< 2(n-1)/n
  double exchange_factor;  ///< (n-1)/n
  double smallest;         ///< bytes:8 as f32 blocks for n ranks
  double odd;              ///< bytes:65536 as f32 blocks for n ranks
};

const std::map<int, ByRanks> by_ranks{
    {2, {1, 0.5, 8, 65536}}, {3, {4.0 / 3, 2.0 / 3, 12, 65532}}, {4, {1.5, 0.75, 16, 65536}}};

TEST(FiguresTest, BlocksAreRoundedDownToOneElementAtLeast) {
  EXPECT_EQ(mpi::block_elements(8, 4, 4), 1U);
  EXPECT_EQ(mpi::block_elements(0, 4, 4), 1U);
  EXPECT_EQ(mpi::block_elements(65536, 3, 4), 5461U);
  EXPECT_EQ(mpi::block_elements(65536, 1, 8), 8192U);
}

TEST(FiguresTest, FactorsOfLargeGroups) {
  EXPECT_DOUBLE_EQ(mpi::factor_all_reduce(8), 1.75);
  EXPECT_DOUBLE_EQ(mpi::factor_exchange(1024), 0.9990234375);
  EXPECT_DOUBLE_EQ(mpi::factor_one(1024), 1);
}

TEST(WorkTest, CollectivesCountWhatTheFieldCounts) {
  ASSERT_GE(world().size(), 2) << "every case needs two ranks";
  const ByRanks n = by_ranks.at(world().size());
  expect_work("mpi.all_reduce", {{"bytes", "8"}, {"dtype", "f64"}, {"ranks", "all"}}, bytes(8, n.reduce_factor));
  expect_work("mpi.all_reduce", {{"bytes", "65536"}, {"dtype", "f32"}, {"ranks", "all"}},
              bytes(65536, n.reduce_factor));
  expect_work("mpi.broadcast", {{"bytes", "65536"}, {"ranks", "all"}}, bytes(65536, 1));
  expect_work("mpi.reduce_scatter", {{"bytes", "8"}, {"dtype", "f32"}, {"ranks", "all"}},
              bytes(n.smallest, n.exchange_factor));
  for (const char* name : {"mpi.all_gather", "mpi.all_to_all"}) {
    expect_work(name, {{"bytes", "8"}, {"ranks", "all"}}, bytes(n.smallest, n.exchange_factor));
    expect_work(name, {{"bytes", "65536"}, {"ranks", "all"}}, bytes(n.odd, n.exchange_factor));
  }
}

TEST(WorkTest, PairsCountBytesAndSteps) {
  ASSERT_GE(world().size(), 2) << "every case needs two ranks";
  const Work latency{WorkKind::latency, 2, Direction::one_way, 1};
  expect_work("mpi.ping_pong", {{"bytes", "8"}, {"between", "node"}}, latency);
  expect_work("mpi.pairs", {{"bytes", "8"}, {"round", "0"}}, latency);
  expect_work("mpi.pairs", {{"bytes", "4194304"}, {"round", "0"}}, bytes(2 * 4194304.0, 1, Direction::one_way));
  expect_work("mpi.bandwidth", {{"bytes", "65536"}, {"way", "one_way"}, {"between", "node"}},
              bytes(64 * 65536.0, 1, Direction::one_way));
  expect_work("mpi.bandwidth", {{"bytes", "65536"}, {"way", "both_ways"}, {"between", "node"}},
              bytes(2 * 64 * 65536.0, 1, Direction::both_ways));
  expect_work("mpi.bandwidth", {{"bytes", "4194304"}, {"way", "one_way"}, {"between", "node"}},
              bytes(16 * 4194304.0, 1, Direction::one_way));
}

TEST(FiguresTest, RateAndLatencyFromSeconds) {
  EXPECT_DOUBLE_EQ(value_of(bytes(1e9, 1.5), 0.5), 3e9);
  EXPECT_DOUBLE_EQ(value_of({WorkKind::latency, 2, Direction::one_way, 1}, 2e-6), 1e-6);
}

}  // namespace
}  // namespace assay
