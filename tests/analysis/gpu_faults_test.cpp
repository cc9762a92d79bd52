#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/report.hpp"
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

TEST(GpuCluster, HealthyOnesPassEveryClause) {
  for (const auto& [product, nodes, gpus] : {std::tuple{"a100-sxm4-80gb", 1, 8},
                                             {"l40s", 2, 8},
                                             {"h100-sxm5-80gb", 4, 8},
                                             {"h200-sxm-141gb", 1, 1},
                                             {"b200-hgx", 2, 8},
                                             {"rtx-4090", 1, 4},
                                             {"l4", 2, 2}}) {
    GpuCluster cluster(product, nodes, gpus);
    const Judgement judgement = cluster.judged();
    EXPECT_THAT(not_passed(judgement), IsEmpty()) << product << "\n" << report_text(judgement, false);
    EXPECT_EQ(judgement.overall, Outcome::pass);
    EXPECT_THAT(judgement.remarks, IsEmpty());
  }
}

TEST(GpuFault, LoweredPowerLimitHoldsBackAndSlowsProductsOnly) {
  GpuCluster cluster("h100-sxm5-80gb", 4, 8);
  cluster.gpu(1, 3).power_limit_watts = 300;
  cluster.load[11] = {.clock_share = 0.5, .power_share = 1, .reasons = 4};
  cluster.compute[""][11] = 0.5;
  const Judgement judgement = cluster.judged();
  EXPECT_THAT(not_passed(judgement),
              ElementsAre("gpu.gemm_fp64", "gpu.gemm_fp32", "gpu.gemm_tf32", "gpu.gemm_bf16", "gpu.gemm_fp16",
                          "gpu.gemm_fp8", "gpu.gemm_int8", "gpu.not_held_back"));
  const Verdict& gemm = verdict_of(judgement, "gpu.gemm_bf16");
  EXPECT_EQ(gemm.outcome, Outcome::fail);
  EXPECT_THAT(gemm.member, StartsWith("GPU 3 (0000:1e:00.0, GPU-00010003) on node2, rank 11: gpu.gemm/"));
  EXPECT_THAT(gemm.cause, HasSubstr("power limit 300 W, 700 W as delivered"));
  EXPECT_THAT(gemm.notes, ::testing::Contains(HasSubstr("39.9 % of the data sheet's 989 TFLOP/s and 50.0 %")));
  const Verdict& held = verdict_of(judgement, "gpu.not_held_back");
  EXPECT_EQ(held.outcome, Outcome::fail);
  EXPECT_EQ(held.reason, "power limit 300 W, 700 W as delivered");
  EXPECT_THAT(held.member, HasSubstr("GPU 3 (0000:1e:00.0, GPU-00010003) on node2, rank 11"));
  EXPECT_FALSE(held.question.empty());
}

TEST(GpuFault, PowerCapAtTheDefaultLimitAndIdleClocksAreNone) {
  GpuCluster cluster("h100-sxm5-80gb", 1, 8);
  for (int rank = 0; rank < 8; ++rank) cluster.load[rank] = {.clock_share = 0.7, .power_share = 1, .reasons = 4};
  EXPECT_THAT(not_passed(cluster.judged()), IsEmpty());
  // A card that does not tell its reasons, but draws its limit.
  for (int rank = 0; rank < 8; ++rank) cluster.load[rank] = {.clock_share = 0.7, .power_share = 0.99, .reasons = 0};
  EXPECT_THAT(not_passed(cluster.judged()), IsEmpty());
}

TEST(GpuFault, LockedClocksAreNamed) {
  GpuCluster cluster("h100-sxm5-80gb", 4, 8);
  cluster.load[20] = {.clock_share = 0.23, .power_share = 0.1, .reasons = 0};
  cluster.compute[""][20] = 0.25;
  const Judgement judgement = cluster.judged();
  const Verdict& held = verdict_of(judgement, "gpu.not_held_back");
  EXPECT_EQ(held.outcome, Outcome::fail);
  EXPECT_THAT(held.member, HasSubstr("GPU 4 (0000:1f:00.0, GPU-00020004) on node3, rank 20"));
  EXPECT_THAT(held.reason, HasSubstr("SM clock 421 MHz under load, 1830 MHz is nominal"));
  EXPECT_THAT(held.reason, HasSubstr("clocks are locked"));
  EXPECT_THAT(verdict_of(judgement, "gpu.gemm_bf16").cause, HasSubstr("SM clock 421 MHz"));
  for (const char* key : {"gpu.memory_bandwidth", "gpu.pcie_bandwidth", "gpu.healthy", "interconnect.all_reduce_all"})
    EXPECT_EQ(verdict_of(judgement, key).outcome, Outcome::pass) << key;
}

TEST(GpuFault, ThermalSlowdownIsNamedByItsReason) {
  for (const auto& [bit, words] : {std::pair{0x40, "thermal slowdown (hardware)"},
                                   {0x20, "thermal slowdown (software)"},
                                   {0x08, "hardware slowdown"},
                                   {0x80, "power brake"}}) {
    GpuCluster cluster("a100-sxm4-80gb", 1, 8);
    cluster.load[5] = {.clock_share = 0.6, .power_share = 0.7, .reasons = bit | 0x4};
    const Verdict held = verdict_of(cluster.judged(), "gpu.not_held_back");
    EXPECT_EQ(held.outcome, Outcome::fail);
    EXPECT_THAT(held.reason, HasSubstr(words));
    EXPECT_THAT(held.member, StartsWith("GPU 5 "));
  }
}

TEST(GpuFault, ShortLoadIsInconclusiveAndNoTelemetryNotTested) {
  GpuCluster brief("a100-sxm4-80gb", 1, 8);
  brief.load_seconds = 20;
  EXPECT_EQ(verdict_of(brief.judged(), "gpu.not_held_back").outcome, Outcome::inconclusive);
  EXPECT_THAT(not_passed(brief.judged()), ElementsAre("gpu.not_held_back"));
  GpuCluster blind("a100-sxm4-80gb", 1, 8);
  blind.telemetry = false;
  EXPECT_EQ(verdict_of(blind.judged(), "gpu.not_held_back").outcome, Outcome::not_tested);
}

TEST(GpuFault, LowerProductUnderAFalseName) {
  GpuCluster cluster("h100-sxm5-80gb", 1, 8);
  cluster.gpu(0, 2).multiprocessors = 114;
  const Judgement judgement = cluster.judged();
  EXPECT_THAT(not_passed(judgement), ElementsAre("gpu.model"));
  const Verdict& model = verdict_of(judgement, "gpu.model");
  EXPECT_THAT(model.reason, HasSubstr("114 multiprocessors, a real one 132"));
  EXPECT_THAT(model.member, StartsWith("GPU 2 "));
}

TEST(GpuFault, AnotherModelIsNamedWithWhatItIs) {
  GpuCluster cluster("h100-sxm5-80gb", 2, 8);
  cluster.gpu(1, 7).name = "NVIDIA H100 NVL";
  const Judgement judgement = cluster.judged();
  const Verdict& model = verdict_of(judgement, "gpu.model");
  EXPECT_EQ(model.outcome, Outcome::fail);
  EXPECT_EQ(model.found, "15 x NVIDIA H100 80GB HBM3, 1 x NVIDIA H100 NVL");
  EXPECT_THAT(model.reason, HasSubstr("it is a NVIDIA H100 NVL; 1 of 16 GPUs"));
  ASSERT_FALSE(judgement.remarks.empty());
  EXPECT_THAT(judgement.remarks.front(),
              HasSubstr("different GPU models in one run: 15 x NVIDIA H100 80GB HBM3; GPU 7"));
}

TEST(GpuFault, MissingCardFailsTheCountAndNamesTheNode) {
  GpuCluster cluster("h100-sxm5-80gb", 2, 8);
  cluster.remove_gpu(1, 5);
  const Judgement judgement = cluster.judged();
  EXPECT_THAT(not_passed(judgement), ElementsAre("gpu.count"));
  const Verdict& count = verdict_of(judgement, "gpu.count");
  EXPECT_EQ(count.outcome, Outcome::fail);
  EXPECT_EQ(count.member, "node2");
  EXPECT_THAT(count.cause, HasSubstr("7 GPUs can be used on node2; other nodes also have one at 0000:20:00.0"));
  EXPECT_THAT(judgement.remarks, ElementsAre(HasSubstr("rank 13 on node2")));
}

TEST(GpuFault, HalfTheMemory) {
  GpuCluster cluster("a100-sxm4-80gb", 1, 8);
  cluster.gpu(0, 6).memory_bytes /= 2;
  cluster.allocatable[6] = 0.5;
  const Judgement judgement = cluster.judged();
  EXPECT_THAT(not_passed(judgement), ElementsAre("gpu.memory"));
  EXPECT_THAT(verdict_of(judgement, "gpu.memory").member, StartsWith("GPU 6 "));
}

TEST(GpuFault, MemoryThatOthersHold) {
  GpuCluster cluster("a100-sxm4-80gb", 1, 8);
  cluster.allocatable[3] = 0.8;
  cluster.gpu(0, 3).memory_used_bytes = std::int64_t{16} << 30;
  const Judgement judgement = cluster.judged();
  EXPECT_THAT(not_passed(judgement), ElementsAre("gpu.memory"));
  EXPECT_THAT(verdict_of(judgement, "gpu.memory").reason, HasSubstr("only 64 GiB were free when the run began"));
  EXPECT_THAT(verdict_of(judgement, "gpu.memory").member, StartsWith("GPU 3 "));
  EXPECT_THAT(verdict_of(judgement, "gpu.memory").cause, HasSubstr("16 GiB were in use before the run began"));
}

TEST(GpuFault, ASliceHasLessMemoryThanItsBoardReports) {
  GpuCluster cluster("a100-sxm4-80gb", 1, 8);
  cluster.allocatable[2] = 0.5;
  cluster.gpu(0, 2).mig_enabled = 1;
  const Judgement judgement = cluster.judged();
  EXPECT_THAT(not_passed(judgement), ElementsAre("gpu.memory", "gpu.healthy"));
  EXPECT_THAT(verdict_of(judgement, "gpu.memory").reason, HasSubstr("could be allocated"));
  EXPECT_THAT(verdict_of(judgement, "gpu.memory").member, StartsWith("GPU 2 "));
  EXPECT_THAT(verdict_of(judgement, "gpu.memory").cause, HasSubstr("MIG"));
}

TEST(GpuFault, SlowDeviceMemoryOfOneCard) {
  GpuCluster cluster("h100-sxm5-80gb", 2, 8);
  cluster.memory[9] = 0.7;
  const Judgement judgement = cluster.judged();
  EXPECT_THAT(not_passed(judgement), ElementsAre("gpu.memory_bandwidth"));
  EXPECT_THAT(verdict_of(judgement, "gpu.memory_bandwidth").member,
              StartsWith("GPU 1 (0000:1c:00.0, GPU-00010001) on node2"));
}

TEST(GpuFault, ErrorsPartitionsAndOtherUsersAreUnhealthy) {
  using Plant = std::pair<void (*)(results::GpuRow&), const char*>;
  for (const auto& [plant, words] : {
           Plant{[](results::GpuRow& gpu) { gpu.ecc_uncorrected = 3; }, "3 uncorrected memory errors"},
           Plant{[](results::GpuRow& gpu) { gpu.remap_pending = 1; }, "needs a reset"},
           Plant{[](results::GpuRow& gpu) { gpu.remap_failed = 1; }, "no spare is left"},
           Plant{[](results::GpuRow& gpu) { gpu.mig_enabled = 1; }, "MIG"},
           Plant{[](results::GpuRow& gpu) { gpu.foreign_processes = 2; }, "2 foreign processes"},
           Plant{[](results::GpuRow& gpu) { gpu.virtualization = "vgpu"; }, "vGPU"},
           Plant{[](results::GpuRow& gpu) { gpu.nvlinks = gpu.nvlinks_active = 8; }, "8 NVLinks, this product has 12"},
           Plant{[](results::GpuRow& gpu) { gpu.pcie_generation_max = 1; }, "PCIe 1 at most, the card can do 4"},
       }) {
    GpuCluster cluster("a100-sxm4-80gb", 1, 8);
    plant(cluster.gpu(0, 1));
    const Judgement judgement = cluster.judged();
    // A link that can only do Gen1 makes figures at the speed of Gen4 impossible, too.
    if (cluster.gpu(0, 1).pcie_generation_max == 4) {
      EXPECT_THAT(not_passed(judgement), ElementsAre("gpu.healthy"));
    }
    EXPECT_EQ(verdict_of(judgement, "gpu.healthy").outcome, Outcome::fail);
    EXPECT_THAT(verdict_of(judgement, "gpu.healthy").reason, HasSubstr(words));
    EXPECT_THAT(verdict_of(judgement, "gpu.healthy").member, StartsWith("GPU 1 "));
  }
}

TEST(GpuFault, XidOfACardIsAFinding) {
  GpuCluster cluster("a100-sxm4-80gb", 1, 8);
  RunData run = cluster.run();
  run.events.push_back({1, "warning", -1, -1, "NVRM: Xid (PCI:0000:1d:00.0): 48, double bit error"});
  const Judgement judgement = judge(run, cluster.offer());
  EXPECT_THAT(not_passed(judgement), ElementsAre("gpu.healthy"));
  EXPECT_THAT(verdict_of(judgement, "gpu.healthy").member, StartsWith("GPU 2 "));
}

TEST(GpuFault, LostCardsAndCardsWithoutADriver) {
  for (const char* state : {"lost", "no_driver"}) {
    GpuCluster cluster("a100-sxm4-80gb", 1, 8);
    results::GpuRow card;
    card.gpu = 4;
    card.state = state;
    card.problem = "what is the matter";
    card.pci_bus_id = cluster.gpu(0, 4).pci_bus_id;
    cluster.remove_gpu(0, 4);
    RunData run = cluster.run();
    run.gpus.push_back(card);
    const Judgement judgement = judge(run, cluster.offer());
    EXPECT_EQ(verdict_of(judgement, "gpu.count").outcome, Outcome::fail);
    EXPECT_THAT(verdict_of(judgement, "gpu.count").cause,
                HasSubstr("GPU 4 (0000:1f:00.0) on node1: " + std::string(state)));
    EXPECT_EQ(verdict_of(judgement, "gpu.healthy").outcome, Outcome::fail);
    EXPECT_EQ(verdict_of(judgement, "gpu.gemm_bf16").outcome, Outcome::not_tested);
  }
}

TEST(GpuFault, CardsOfOtherJobsAreNotOurs) {
  GpuCluster cluster("a100-sxm4-80gb", 1, 4);
  RunData run = cluster.run();
  std::vector<results::GpuRow> others(4);
  for (int i = 0; i < 4; ++i) {
    others[static_cast<std::size_t>(i)].gpu = 4 + i;
    others[static_cast<std::size_t>(i)].state = "hidden";
  }
  run.add_gpus(others);
  const Judgement judgement = judge(run, cluster.offer());
  EXPECT_THAT(not_passed(judgement), IsEmpty());
  EXPECT_THAT(judgement.remarks, ElementsAre(HasSubstr("not shown to this job: GPU 4")));
}

TEST(GpuFault, AnErrorOfOneRankIsNotLaidAtTheOthersThatHeardOfIt) {
  GpuCluster cluster("a100-sxm4-80gb", 2, 8);
  RunData run = cluster.run();
  for (int rank = 0; rank < 16; ++rank) {
    run.events.push_back(
        {1, "error", 3, rank,
         "nccl.all_reduce: failed: AllReduce: rank 3 (GPU 0000:1e:00.0 on node1): aborted, rank 13 (GPU "
         "0000:20:00.0 on node2): cudaStreamQuery: device(s) is/are busy or unavailable (46)"});
  }
  const Judgement judgement = judge(run, cluster.offer());
  const Verdict& healthy = verdict_of(judgement, "gpu.healthy");
  EXPECT_EQ(healthy.outcome, Outcome::fail);
  EXPECT_THAT(healthy.member, StartsWith("GPU 5 (0000:20:00.0, GPU-00010005) on node2"));
  EXPECT_THAT(healthy.notes, IsEmpty());
}

TEST(GpuFault, ALostCardIsNamedByItsNumberWhoeverReportsIt) {
  GpuCluster cluster("a100-sxm4-80gb", 2, 8);
  RunData run = cluster.run();
  run.events.push_back({1, "error", -1, 8, "node2: GPU 1 is lost: the driver says that it does not answer any more"});
  run.events.push_back({1, "error", 3, 9, "gpu.gemm: failed: busy or unavailable (46), GPU 0000:1c:00.0 on node2"});
  const Judgement judgement = judge(run, cluster.offer());
  EXPECT_THAT(not_passed(judgement), ElementsAre("gpu.healthy"));
  const Verdict& healthy = verdict_of(judgement, "gpu.healthy");
  EXPECT_THAT(healthy.member, StartsWith("GPU 1 (0000:1c:00.0, GPU-00010001) on node2"));
  EXPECT_THAT(healthy.reason, HasSubstr("is lost"));
  EXPECT_THAT(healthy.reason, HasSubstr("and 1 more errors of it"));
  EXPECT_THAT(healthy.notes, IsEmpty());
}

}  // namespace
}  // namespace assay
