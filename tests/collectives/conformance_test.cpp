// Every case of collectives/mpi at every point of the quick suite, on one node and on two.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/collectives/case_runs.hpp"
#include "tests/collectives/faults.hpp"
#include "tests/collectives/host_device.hpp"

namespace assay {
namespace {

std::vector<Layout> layouts() {
  std::vector<Layout> all{Layout::single_node(world().size(), 2), two_nodes()};
  for (Layout& layout : all)
    for (int rank = 0; rank < layout.ranks(); ++rank) layout.gpu_of.push_back(rank);
  return all;
}

void at_every_point(const std::function<void(const CaseInfo&, Case&, Group&)>& body) {
  ASSERT_GE(world().size(), 2) << "every case needs two ranks";
  for (const CaseInfo& info : builtin_cases().cases()) {
    for (const Layout& layout : layouts()) {
      for (const Point& point : points_of(info, Suite::quick, layout)) {
        SCOPED_TRACE(info.name + "/" + point.text() + " nodes:" + std::to_string(layout.nodes()));
        on_each_set(
            info, layout, point, [&](Case& made, Group& group) { body(info, made, group); }, host_device());
      }
    }
  }
}

TEST(RegistryTest, AllCasesAreThere) {
  std::vector<std::string> names;
  for (const CaseInfo& info : builtin_cases().cases()) {
    names.push_back(info.name);
    EXPECT_NE(info.summary, "");
    EXPECT_EQ(info.needs.ranks, 2) << info.name;
    EXPECT_EQ(info.combine, Combine::slowest) << info.name;
    EXPECT_EQ(info.timing, Timing::per_rank) << info.name;
  }
  EXPECT_THAT(names, testing::ElementsAre("mpi.all_gather", "mpi.all_reduce", "mpi.all_to_all", "mpi.bandwidth",
                                          "mpi.broadcast", "mpi.gpu_all_reduce", "mpi.gpu_ping_pong", "mpi.pairs",
                                          "mpi.ping_pong", "mpi.reduce_scatter"));
}

TEST(ConformanceTest, TimedDataAreRight) {
  at_every_point([](const CaseInfo&, Case& made, Group& group) {
    run_batch(made, 1);
    run_batch(made, 3);
    const Check check = made.verify();
    EXPECT_EQ(check.wrong, 0U) << check.first;
    EXPECT_GT(sum_over(group, static_cast<double>(check.checked)), 0);
    EXPECT_GT(made.work().amount, 0);
  });
}

TEST(ConformanceTest, CorruptionIsNoticed) {
  at_every_point([](const CaseInfo&, Case& made, Group& group) {
    run_batch(made, 1);
    const bool corrupted = made.corrupt();
    const Check check = made.verify();
    EXPECT_EQ(check.wrong, corrupted ? 1U : 0U);
    EXPECT_EQ(check.first.empty(), !corrupted);
    EXPECT_EQ(corrupted, check.checked > 0);
    EXPECT_GT(sum_over(group, corrupted), 0);
  });
}

/// Runs a good batch, then one under the fault, and expects every rank that checks anything to notice.
void expect_noticed(Fault fault, const std::function<bool(const CaseInfo&)>& concerned) {
  at_every_point([&](const CaseInfo& info, Case& made, Group&) {
    if (!concerned(info)) return;
    run_batch(made, 1);
    {
      const Planted planted(fault);
      run_batch(made, 1);
    }
    const Check check = made.verify();
    EXPECT_EQ(check.wrong > 0, check.checked > 0);
  });
}

TEST(ConformanceTest, DataOfAnEarlierBatchAreNoResult) {
  expect_noticed(Fault::nothing_moves, [](const CaseInfo&) { return true; });
}

TEST(ConformanceTest, MissingContributionIsNoticed) {
  expect_noticed(Fault::last_rank_missing, [](const CaseInfo& info) {
    return info.name == "mpi.all_reduce" || info.name == "mpi.gpu_all_reduce" || info.name == "mpi.reduce_scatter";
  });
}

TEST(ConformanceTest, TurnedBitIsNoticed) {
  expect_noticed(Fault::late_change, [](const CaseInfo& info) { return info.name != "mpi.bandwidth"; });
}

}  // namespace
}  // namespace assay
