#include "launcher/run/placement_report.hpp"

#include <gmock/gmock.h>

#include <fmt/format.h>

namespace assay {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// Healthy: each rank of each node has the GPU of its own number.
struct MadeUp {
  MadeUp(int nodes, int gpus_each) {
    layout = Layout::with_gpus(nodes, gpus_each);
    for (int rank = 0; rank < layout.ranks(); ++rank) {
      results::RankRow row;
      row.rank = rank;
      row.node = layout.node_of[static_cast<std::size_t>(rank)];
      row.local_rank = row.gpu = rank % gpus_each;
      row.nic = fmt::format("mlx5_{}", row.gpu);
      row.share_cpus = fmt::format("{}", row.gpu);
      results::GpuRow gpu;
      gpu.node = row.node;
      gpu.gpu = row.gpu;
      gpu.rank = rank;
      gpu.state = "ok";
      gpu.name = "NVIDIA H100";
      gpu.pci_bus_id = fmt::format("0000:{:02x}:00.0", row.gpu);
      ranks.push_back(row);
      gpus.push_back(gpu);
      why_not.emplace_back();
    }
  }
  [[nodiscard]] PlacementFacts facts() const { return {layout, ranks, gpus, why_not}; }
  void lose(int rank, const std::string& why) {
    results::RankRow& row = ranks[static_cast<std::size_t>(rank)];
    layout.gpu_of[static_cast<std::size_t>(rank)] = row.gpu = -1;
    why_not[static_cast<std::size_t>(rank)] = why;
    gpus[static_cast<std::size_t>(rank)].rank = -1;
  }

  Layout layout;
  std::vector<results::RankRow> ranks;
  std::vector<results::GpuRow> gpus;
  std::vector<std::string> why_not;
};

auto says(const std::string& text) { return Contains(Field(&Finding::text, HasSubstr(text))); }

TEST(PlacementTable, OneLineForEachOfFewRanks) {
  const MadeUp run(2, 2);
  const auto table = placement_table(run.facts());
  ASSERT_THAT(table, SizeIs(4));
  EXPECT_EQ(table[3], "rank 3 on node2: GPU 1 0000:01:00.0 NVIDIA H100, NIC mlx5_1, CPUs 1");
}

TEST(PlacementTable, ManyRanksAreSummarised) {
  MadeUp run(4, 8);
  EXPECT_THAT(placement_table(run.facts()), SizeIs(2));
  EXPECT_THAT(placement_table(run.facts())[1],
              AllOf(HasSubstr("all 4 hosts: 0: GPU 0 mlx5_0 0"), HasSubstr("7: GPU 7")));
  run.lose(31, "none left");
  EXPECT_THAT(placement_table(run.facts()), SizeIs(3));
}

TEST(PlacementTable, NothingWithoutGpus) {
  MadeUp run(1, 1);
  run.lose(0, "no driver");
  EXPECT_THAT(placement_table(run.facts()), IsEmpty());
}

TEST(PlacementFindings, AHealthyClusterHasNone) { EXPECT_THAT(placement_findings(MadeUp(4, 8).facts()), IsEmpty()); }

TEST(PlacementFindings, SevenOfEightGpusAreAFinding) {
  MadeUp run(4, 8);
  run.lose(15, "no GPU is left for it");
  run.layout.gpus_found[1] = 7;
  run.gpus[15].state = "lost";
  run.gpus[15].problem = "fallen off the bus";
  const auto findings = placement_findings(run.facts());
  EXPECT_THAT(findings, says("node2: rank 15 measures on the host only: no GPU is left for it"));
  EXPECT_THAT(findings, says("7 of 8 GPUs can be used on node2"));
  EXPECT_THAT(findings, says("node2: GPU 7 0000:07:00.0 is not measured: lost: fallen off the bus"));
  EXPECT_THAT(findings, SizeIs(3));
  EXPECT_THAT(findings, Each(Field(&Finding::severity, "warning")));
}

TEST(PlacementFindings, OneSentenceForOneReasonOnAllHosts) {
  MadeUp run(4, 8);
  for (int rank = 0; rank < 32; ++rank) run.lose(rank, "the driver is older than the runtime");
  run.gpus.clear();
  const auto findings = placement_findings(run.facts());
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].text, "no GPU is measured: the driver is older than the runtime (all 4 hosts)");
  EXPECT_EQ(findings[0].severity, "info");
}

TEST(PlacementFindings, GpusWithoutRanksShareALine) {
  MadeUp run(2, 4);
  for (auto& gpu : run.gpus)
    if (gpu.gpu >= 2) gpu.rank = -1;
  for (auto& rank : run.ranks)
    if (rank.gpu >= 2) rank.gpu = rank.gpu - 2;
  EXPECT_THAT(placement_findings(run.facts()), says("all 2 hosts: GPUs 2-3 are not measured: no rank works on them"));
}

TEST(PlacementFindings, SharedGpusModelsAndStrangers) {
  MadeUp run(2, 2);
  run.ranks[1].gpu = 0;
  run.gpus[3].name = "NVIDIA A100";
  run.gpus[2].foreign_processes = 2;
  const auto findings = placement_findings(run.facts());
  EXPECT_THAT(findings, says("node1: ranks 0-1 share GPU 0"));
  EXPECT_THAT(findings, says("GPU models differ: NVIDIA A100 on node2; NVIDIA H100 on all 2 hosts"));
  EXPECT_THAT(findings, says("node2: GPU 0 0000:00:00.0 is in use by 2 processes of others"));
}

TEST(GroupedNotes, OneTextOnceWithItsHosts) {
  const Layout layout = Layout::with_gpus(3, 1);
  const auto notes = grouped_notes(layout, {{{"info", "a"}}, {{"info", "a"}, {"warning", "b"}}, {{"info", "a"}}});
  ASSERT_THAT(notes, SizeIs(2));
  EXPECT_EQ(notes[0].text, "all 3 hosts: a");
  EXPECT_EQ(notes[1].text, "node2: b");
}

}  // namespace
}  // namespace assay
