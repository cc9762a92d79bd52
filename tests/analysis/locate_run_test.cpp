#include <cmath>
#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include "analysis/locate/from_run.hpp"
#include "analysis/locate/run_location.hpp"
#include "core/layout.hpp"
#include "synthetic.hpp"

namespace assay::locate {
namespace {

/// Nodes with GPUs whose nearest NICs are mlx5_0, mlx5_1, ...
test::SyntheticRun with_gpus(int nodes, int gpus) {
  test::SyntheticRun run(nodes, gpus);
  RunData& data = run.data();
  for (auto& rank : data.ranks) {
    rank.gpu = rank.local_rank;
    results::NicRow nic;
    nic.node = rank.node;
    nic.name = "ib" + std::to_string(rank.gpu);
    nic.rdma_device = "mlx5_" + std::to_string(rank.gpu);
    data.nics.push_back(nic);
    results::GpuRow gpu;
    gpu.node = rank.node;
    gpu.gpu = rank.gpu;
    gpu.rank = rank.rank;
    gpu.nic = nic.rdma_device;
    data.gpus.push_back(gpu);
  }
  return run;
}

TEST(FromRun, ReadsDirectionOutOfCopies) {
  test::SyntheticRun run = with_gpus(1, 4);
  const auto plant = [&](const std::string& from, const std::string& op, double value) {
    run.plant({.case_name = "gpu.peer_copy",
               .point = "by:sm/op:" + op + "/way:one/bytes:1048576/from:" + from + "/round:0",
               .members = {0, 1},
               .work = 1e6,
               .direction = "one_way",
               .value = value});
  };
  plant("lower", "write", 100e9);
  plant("upper", "write", 200e9);
  plant("lower", "read", 300e9);
  const auto matrices = pair_matrices(run.data());
  ASSERT_EQ(matrices.size(), 2U);
  EXPECT_EQ(matrices[0].name, "gpu.peer_copy/by:sm/op:write/way:one/bytes:1048576");
  ASSERT_EQ(matrices[0].rows.size(), 2U);
  EXPECT_TRUE(matrices[0].rows[0].directed);
  EXPECT_EQ(matrices[0].rows[0].a, 0);
  EXPECT_EQ(matrices[0].rows[1].a, 1);
  EXPECT_EQ(matrices[0].rows[0].count, 5);
  EXPECT_EQ(matrices[1].rows[0].a, 1);  // who reads, receives
  EXPECT_NEAR(std::exp(-matrices[0].costs[0].log_seconds), 100e9, 3e9);
}

TEST(FromRun, SplitsPairsOfNodesIntoPairsOfGpus) {
  test::SyntheticRun run = with_gpus(2, 4);
  run.plant({.case_name = "nccl.pairs",
             .point = "bytes:67108864/level:node/round:0",
             .members = run.all_ranks(),
             .work = 8e6,
             .direction = "both_ways",
             .value = 8 * 40e9});
  const auto matrices = pair_matrices(run.data());
  ASSERT_EQ(matrices.size(), 1U);
  ASSERT_EQ(matrices[0].rows.size(), 4U);
  const PairRow& row = matrices[0].rows[2];
  EXPECT_EQ(matrices[0].ends[static_cast<std::size_t>(row.a)].nic, 2);
  EXPECT_EQ(matrices[0].ends[static_cast<std::size_t>(row.b)].node, 1);
  EXPECT_EQ(matrices[0].ends[static_cast<std::size_t>(row.b)].rail, 2);
  EXPECT_NEAR(std::exp(-matrices[0].costs[0].log_seconds), 80e9, 3e9);
}

TEST(FromRun, HostMessagesHaveNoGpuAndFailuresNoFigure) {
  test::SyntheticRun run = with_gpus(2, 2);
  run.plant({.case_name = "mpi.pairs",
             .point = "bytes:8/round:0",
             .members = {0, 2},
             .work_kind = "latency",
             .work = 2,
             .value = 3e-6});
  run.plant({.case_name = "mpi.pairs",
             .point = "bytes:8/round:1",
             .members = {0, 3},
             .work_kind = "latency",
             .work = 2,
             .value = 3e-6,
             .status = "failed"});
  run.plant({.case_name = "mpi.ping_pong",
             .point = "bytes:8",
             .members = {0, 2},
             .work_kind = "latency",
             .work = 2,
             .value = 3e-6});
  const auto matrices = pair_matrices(run.data());
  ASSERT_EQ(matrices.size(), 1U);
  EXPECT_EQ(matrices[0].rows.size(), 1U);
  EXPECT_EQ(matrices[0].ends[0].gpu, -1);
  EXPECT_EQ(matrices[0].dimension, Dimension::seconds);
  EXPECT_NEAR(std::exp(matrices[0].costs[0].log_seconds), 3e-6, 1e-7);
}

/// 4 nodes of 4 GPUs: all pairs across nodes; NIC 2 of the third node at two thirds.
RunData run_with_slow_nic() {
  test::SyntheticRun run = with_gpus(4, 4);
  int round = 0;
  for (int a = 0; a < 16; ++a) {
    for (int b = a + 1; b < 16; ++b) {
      if (a / 4 == b / 4) continue;
      run.plant({.case_name = "nccl.pairs",
                 .point = "bytes:67108864/level:nic/round:" + std::to_string(round++),
                 .members = {a, b},
                 .work = 1e8,
                 .direction = "both_ways",
                 .value = a == 10 || b == 10 ? 60e9 : 90e9});
    }
  }
  return run.data();
}

TEST(RunLocation, TellsPeopleAndPrograms) {
  const RunData run = run_with_slow_nic();
  const RunLocation location = locate_run(run);
  const std::string text = location_text(run, location);
  EXPECT_NE(text.find("* NIC mlx5_2 of "), std::string::npos) << text;
  EXPECT_NE(text.find("delivers 67 % of what its peers do (twelve slow pairs have it in common)"), std::string::npos);
  const auto json = nlohmann::json::parse(location_json(run, location));
  EXPECT_EQ(json["schema"], "assay.location/1");
  ASSERT_EQ(json["findings"].size(), 1U);
  EXPECT_EQ(json["findings"][0]["parts"][0]["kind"], "nic");
  EXPECT_EQ(json["findings"][0]["parts"][0]["node"], 2);
  EXPECT_NEAR(json["findings"][0]["factor"].get<double>(), 1.5, 0.05);
  EXPECT_EQ(json["matrices"].size(), 1U);
}

TEST(RunLocation, SaysThatThereIsNothingToCompare) {
  test::SyntheticRun run(1, 1);
  EXPECT_NE(location_text(run.data(), locate_run(run.data())).find("nothing to compare"), std::string::npos);
}

TEST(RunLocation, MarksEmulatedHardware) {
  RunData run = run_with_slow_nic();
  run.run.emulated = true;
  EXPECT_TRUE(location_text(run, locate_run(run)).starts_with("EMULATED"));
}

}  // namespace
}  // namespace assay::locate
