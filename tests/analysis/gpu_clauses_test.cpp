#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "analysis/offer_check.hpp"
#include "analysis/report.hpp"
#include "tests/analysis/gpu_cluster.hpp"

namespace assay {
namespace {

using test::GpuCluster;
using test::judge;
using Each = test::ClauseCase;
using test::judge_one;
using test::not_passed;
using test::verdict_of;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class EachGpuClause : public ::testing::TestWithParam<Each> {};

TEST_P(EachGpuClause, PassesWhatIsDelivered) {
  GpuCluster cluster("h100-sxm5-80gb", 2, 8);
  const Verdict verdict = judge_one(cluster.run(), GetParam().offer(GetParam().met));
  EXPECT_EQ(verdict.outcome, Outcome::pass) << verdict.reason;
}

TEST_P(EachGpuClause, DoesNotPassWhatIsNot) {
  GpuCluster cluster("h100-sxm5-80gb", 2, 8);
  const std::string key = GetParam().key;
  if (key == "gpu.healthy") cluster.gpu(1, 1).ecc_uncorrected = 1;
  if (key == "interconnect.gpu_direct") cluster.all_method = "Ring/Simple, NET/IB mlx5_0-7";
  if (key == "interconnect.transport") cluster.all_method = "Ring/Simple, NET/Socket eth0";
  if (key == "scaling.gpu_efficiency") cluster.compute[""] = {{1, 0.1}, {2, 0.1}, {3, 0.1}, {4, 0.1}};
  const Verdict verdict = judge_one(cluster.run(), GetParam().offer(GetParam().breached));
  EXPECT_EQ(verdict.outcome, key == "gpu.not_held_back" ? Outcome::inconclusive : Outcome::fail) << verdict.reason;
  EXPECT_FALSE(verdict.member.empty());
}

TEST_P(EachGpuClause, AnEmptyRunPassesNothing) {
  RunData empty;
  empty.run.status = "done";
  const Verdict verdict = judge_one(empty, GetParam().offer(GetParam().met));
  EXPECT_EQ(verdict.outcome, Outcome::not_tested) << verdict.reason;
  EXPECT_FALSE(verdict.reason.empty());
  EXPECT_THAT(verdict.settle, HasSubstr("assay run"));
}

TEST_P(EachGpuClause, ACpuRunPassesNothing) {
  test::SyntheticRun host(2, 4);
  host.plant_everything();
  const Verdict verdict = judge_one(host.data(), GetParam().offer(GetParam().met));
  EXPECT_EQ(verdict.outcome, Outcome::not_tested) << verdict.reason;
}

TEST_P(EachGpuClause, FailedSeriesAreNoPass) {
  GpuCluster cluster("h100-sxm5-80gb", 2, 8);
  RunData run = cluster.run();
  for (auto& row : run.series) {
    row.status = "failed";
    row.method.clear();
  }
  const Verdict verdict = judge_one(run, GetParam().offer(GetParam().met));
  const std::string key = GetParam().key;
  const bool counted = key == "gpu.model" || key == "gpu.count" || key == "gpu.memory" || key == "gpu.healthy" ||
                       key == "gpu.not_held_back" || key == "interconnect.nics";
  EXPECT_EQ(verdict.outcome, counted ? Outcome::pass : Outcome::not_tested) << verdict.reason;
}

TEST_P(EachGpuClause, WrongDataFails) {
  GpuCluster cluster("h100-sxm5-80gb", 2, 8);
  RunData run = cluster.run();
  bool touched = false;
  const Pattern& by = builtin_clauses().find(GetParam().key)->settled_by;
  for (auto& row : run.series) {
    if (by.case_name != row.case_name || GetParam().key == std::string("interconnect.transport")) continue;
    row.status = "wrong_data";
    row.wrong = 1;
    touched = true;
  }
  if (!touched || std::string(GetParam().key).starts_with("interconnect.gpu_direct")) return;
  EXPECT_EQ(judge_one(run, GetParam().offer(GetParam().met)).outcome, Outcome::fail);
}

INSTANTIATE_TEST_SUITE_P(
    , EachGpuClause,
    ::testing::Values(
        Each{"gpu.model", "\"NVIDIA H100 80GB HBM3\"", "\"NVIDIA H200\""}, Each{"gpu.count", "8", "9"},
        Each{"gpu.memory", "\"80 GiB\"", "\"94 GiB\""}, Each{"gpu.gemm_fp64", "\"66.9 TFLOP/s\"", "\"90 TFLOP/s\""},
        Each{"gpu.gemm_fp32", "\"66.9 TFLOP/s\"", "\"90 TFLOP/s\""},
        Each{"gpu.gemm_tf32", "\"494 TFLOP/s\"", "\"989 TFLOP/s\""},
        Each{"gpu.gemm_bf16", "\"989 TFLOP/s\"", "\"1979 TFLOP/s\""},
        Each{"gpu.gemm_fp16", "\"989 TFLOP/s\"", "\"1979 TFLOP/s\""},
        Each{"gpu.gemm_fp8", "\"1979 TFLOP/s\"", "\"3958 TFLOP/s\""},
        Each{"gpu.gemm_int8", "\"1979 TOP/s\"", "\"3958 TOP/s\""},
        Each{"gpu.memory_bandwidth", "\"3.35 TB/s\"", "\"4.8 TB/s\""},
        Each{"gpu.pcie_bandwidth", "{ value = \"64 GB/s\", direction = \"one_way\" }",
             "{ value = \"128 GB/s\", direction = \"one_way\" }"},
        Each{"gpu.nvlink_bandwidth", "{ value = \"450 GB/s\", direction = \"one_way\" }",
             "{ value = \"900 GB/s\", direction = \"one_way\" }"},
        Each{"gpu.not_held_back", "\"60 s\"", "\"90 s\""}, Each{"gpu.healthy", "true", "true"},
        Each{"interconnect.transport", "\"ib\"", "\"ib\""}, Each{"interconnect.gpu_direct", "true", "true"},
        Each{"interconnect.nics", "{ count = 8, rate = \"400 Gbit/s\" }", "{ count = 8, rate = \"800 Gbit/s\" }"},
        Each{"interconnect.all_reduce_node", "{ busbw = \"470 GB/s\", from = \"1 GiB\" }",
             "{ busbw = \"900 GB/s\", from = \"1 GiB\" }"},
        Each{"interconnect.all_reduce_all", "{ busbw = \"360 GB/s\", from = \"1 GiB\" }",
             "{ busbw = \"470 GB/s\", from = \"1 GiB\" }"},
        Each{"scaling.gpu_efficiency", "0.95", "1.0"}),
    [](const auto& param_info) {
      std::string name = param_info.param.key;
      std::replace(name.begin(), name.end(), '.', '_');
      return name;
    });

/// The limit of a clause for a model, without a run.
double limit_of(const std::string& model, const std::string& clause) {
  const std::string text = "[gpu]\nmodel = \"" + model + "\"\n" + clause + "\n";
  const Offer offer = parse_offer(text, "offer.toml", builtin_clauses());
  const Product* product = advertised_model(offer, builtin_catalogue());
  return expected(offer.clauses.back(), builtin_clauses(), product, builtin_catalogue()).limit();
}

TEST(Expected, DataSheetValuesAreHeldAgainstHealthyCards) {
  EXPECT_NEAR(limit_of("h100-sxm5-80gb", "gemm_bf16 = \"989 TFLOP/s\""), 0.85 * 789.2e12, 1e9);
  // What the provider measured itself is not lowered again, and never raised.
  EXPECT_NEAR(limit_of("h100-sxm5-80gb", "gemm_bf16 = \"700 TFLOP/s\""), 0.85 * 700e12, 1e9);
  EXPECT_NEAR(limit_of("h100-sxm5-80gb", "gemm_bf16 = \"850 TFLOP/s\""), 0.85 * 789.2e12, 1e9);
  // A sparse figure sold as dense is not forgiven.
  EXPECT_GT(limit_of("h100-sxm5-80gb", "gemm_bf16 = \"1979 TFLOP/s\""), 1.5 * 0.85 * 789.2e12);
  EXPECT_NEAR(limit_of("no-such-card", "gemm_bf16 = \"989 TFLOP/s\""), 0.85 * 989e12, 1e9);
  // Cards that boost above their data sheet are not asked for more than was sold.
  EXPECT_LE(limit_of("rtx-3090", "gemm_bf16 = \"71 TFLOP/s\""), 0.85 * 71e12 * 1.001);
  EXPECT_NEAR(limit_of("l40s", "memory = \"48 GiB\""), 0.99 * (std::int64_t{46068} << 20), 1e6);
  EXPECT_NEAR(limit_of("h100-sxm5-80gb", "pcie_bandwidth = { value = \"64 GB/s\", direction = \"one_way\" }"), 45e9,
              1e8);
  EXPECT_NEAR(limit_of("a100-sxm4-80gb", "nvlink_bandwidth = { value = \"600 GB/s\", direction = \"both_ways\" }"),
              0.9 * 480e9, 1e9);
}

std::string contradiction_of(const std::string& model, const std::string& clause) {
  const std::string text = "[gpu]\nmodel = \"" + model + "\"\n" + clause + "\n";
  const auto found =
      contradictions(parse_offer(text, "offer.toml", builtin_clauses()), builtin_clauses(), builtin_catalogue());
  return found.empty() ? "" : found.back();
}

TEST(Contradiction, UsualMisreadingsAreNamed) {
  EXPECT_THAT(
      contradiction_of("h100-sxm5-80gb", "gemm_bf16 = \"1979 TFLOP/s\""),
      StartsWith("offer.toml:3: gpu.gemm_bf16: the data sheet says 989 TFLOP/s, the offer 2 times that: that is "
                 "the figure with 2:4 sparsity"));
  EXPECT_THAT(contradiction_of("h100-pcie-80gb", "memory_bandwidth = \"3.35 TB/s\""),
              HasSubstr("it is the rate of a NVIDIA H100 80GB HBM3, not of a NVIDIA H100 PCIe"));
  EXPECT_THAT(
      contradiction_of("a100-sxm4-80gb", "nvlink_bandwidth = { value = \"600 GB/s\", direction = \"one_way\" }"),
      HasSubstr("that is both directions together"));
  EXPECT_THAT(contradiction_of("l40s", "nvlink_bandwidth = { value = \"60 GB/s\", direction = \"one_way\" }"),
              HasSubstr("a NVIDIA L40S has no NVLink"));
  EXPECT_THAT(contradiction_of("a100-sxm4-80gb", "gemm_fp8 = \"624 TFLOP/s\""), HasSubstr("does not compute in fp8"));
  EXPECT_THAT(contradiction_of("a100-sxm4-40gb", "memory = \"80 GiB\""), HasSubstr("has 40 GiB"));
  EXPECT_THAT(contradiction_of("a100-sxm4-80gb", "pcie_bandwidth = { value = \"64 GB/s\", direction = \"one_way\" }"),
              HasSubstr("both directions"));
  EXPECT_THAT(contradiction_of("NVIDIA H100", "count = 8"), HasSubstr("the catalogue knows no 'NVIDIA H100'"));
}

TEST(Contradiction, DataSheetValuesAreNone) {
  for (const Product& product : builtin_catalogue().products) {
    GpuCluster cluster(product.id, 2, 4);
    const Offer offer = parse_offer(cluster.offer(), "offer.toml", builtin_clauses());
    EXPECT_THAT(contradictions(offer, builtin_clauses(), builtin_catalogue()), ::testing::IsEmpty()) << product.id;
  }
}

TEST(GpuOffers, ThoseInTheTreeAreSoundAndTrue) {
  const std::filesystem::path root = ASSAY_SOURCE_DIR;
  for (const char* name : {"offers/hgx-h100.toml", "tests/emulator/offers/a100-1x8.toml",
                           "tests/emulator/offers/l40s-2x8.toml", "tests/emulator/offers/h100-4x8.toml"}) {
    const Offer offer = load_offer(root / name, builtin_clauses());
    EXPECT_THAT(contradictions(offer, builtin_clauses(), builtin_catalogue()), ::testing::IsEmpty()) << name;
  }
  const std::filesystem::path offers = root / "tests/emulator/offers";
  for (const auto& [product, file, nodes] :
       {std::tuple{"a100-sxm4-80gb", "a100-1x8.toml", 1}, {"h100-sxm5-80gb", "h100-4x8.toml", 4}}) {
    GpuCluster cluster(product, nodes, 8);
    const Offer offer = load_offer(offers / file, builtin_clauses());
    EXPECT_EQ(judge_run(cluster.run(), offer, builtin_clauses(), false).overall, Outcome::pass) << file;
  }
}

TEST(GpuCeiling, MoreThanTheCardCanDoIsInvalidMoreThanSoldIsNot) {
  GpuCluster fast("h100-sxm5-80gb", 1, 8);
  fast.compute["bf16"][2] = 1.3;  // above the data sheet, below what 1980 MHz allow
  EXPECT_EQ(verdict_of(judge(fast.run(), fast.offer()), "gpu.gemm_bf16").outcome, Outcome::pass);
  GpuCluster impossible("h100-sxm5-80gb", 1, 8);
  for (int rank = 0; rank < 8; ++rank) {
    impossible.compute["bf16"][rank] = 1.7;
    impossible.memory[rank] = 1.4;
    impossible.to_device[rank] = 1.6;
    impossible.links[rank] = 1.5;
  }
  impossible.node_all_reduce[0] = 2;
  const Judgement judgement = judge(impossible.run(), impossible.offer());
  for (const char* key : {"gpu.gemm_bf16", "gpu.memory_bandwidth", "gpu.pcie_bandwidth", "gpu.nvlink_bandwidth",
                          "interconnect.all_reduce_node"}) {
    EXPECT_EQ(verdict_of(judgement, key).outcome, Outcome::invalid) << key;
    EXPECT_THAT(verdict_of(judgement, key).reason, HasSubstr("more than possible")) << key;
  }
}

TEST(GpuCeiling, InSwitchReductionMayExceedTheLink) {
  GpuCluster cluster("h100-sxm5-80gb", 1, 8);
  cluster.node_all_reduce[0] = 483.0 / 477;  // 483 on links of 450 GB/s
  EXPECT_EQ(verdict_of(judge(cluster.run(), cluster.offer()), "interconnect.all_reduce_node").outcome, Outcome::pass);
  GpuCluster ampere("a100-sxm4-80gb", 1, 8);
  ampere.node_all_reduce[0] = 1.5;  // switches of this generation do not reduce
  EXPECT_EQ(verdict_of(judge(ampere.run(), ampere.offer()), "interconnect.all_reduce_node").outcome, Outcome::invalid);
}

TEST(GpuCeiling, TwoNodesMayExceedTheNics) {
  GpuCluster cluster("h100-sxm5-80gb", 2, 8);
  cluster.all_reduce_all = 338.0 / 368 * 2;  // hierarchical: the ring's byte count does not hold
  EXPECT_EQ(verdict_of(judge(cluster.run(), cluster.offer()), "interconnect.all_reduce_all").outcome, Outcome::pass);
  cluster.all_reduce_all = 6;
  EXPECT_EQ(verdict_of(judge(cluster.run(), cluster.offer()), "interconnect.all_reduce_all").outcome, Outcome::invalid);
}

TEST(GpuMember, WrongDataIsLaidAtTheRankThatTheEventsName) {
  GpuCluster cluster("a100-sxm4-80gb", 1, 8);
  RunData run = cluster.run();
  for (auto& row : run.series) {
    if (row.case_name != "gpu.gemm" || row.ranks != 8 || row.point.find("bf16") == std::string::npos) continue;
    row.status = "wrong_data";
    row.wrong = 1;
    run.events.push_back({1, "error", row.series, 6, "element 7 is 1, not 2"});
  }
  const Verdict verdict = verdict_of(judge(run, cluster.offer()), "gpu.gemm_bf16");
  EXPECT_EQ(verdict.outcome, Outcome::fail);
  EXPECT_THAT(verdict.member, StartsWith("GPU 6 "));
  EXPECT_THAT(verdict.reason, HasSubstr("wrong data"));
  for (auto& event : run.events) event.rank = -1;  // nobody named: the whole set answers for it
  EXPECT_THAT(verdict_of(judge(run, cluster.offer()), "gpu.gemm_bf16").reason, HasSubstr("8 of 8 sets fail"));
}

TEST(GpuMember, AGpuWithoutAFigureKeepsFromPass) {
  GpuCluster cluster("a100-sxm4-80gb", 1, 8);
  cluster.remove_gpu(0, 7);
  RunData run = cluster.run();
  GpuCluster whole("a100-sxm4-80gb", 1, 8);
  run.gpus = whole.run().gpus;  // the card is there, but no rank measured on it
  const Judgement judgement = judge(run, cluster.offer());
  const Verdict& gemm = verdict_of(judgement, "gpu.gemm_bf16");
  EXPECT_EQ(gemm.outcome, Outcome::not_tested);
  EXPECT_THAT(gemm.reason, HasSubstr("nothing known of GPU 7 (0000:22:00.0"));
  EXPECT_THAT(judgement.remarks, ::testing::Contains(StartsWith("no rank measures on GPU 7")));
}

TEST(GpuTrap, TheMeanHidesNoGpuAndTheBestNoEpoch) {
  GpuCluster cluster("h100-sxm5-80gb", 4, 8);
  cluster.compute["bf16"][31] = 0.6;  // 1.2 % of the whole
  EXPECT_EQ(not_passed(judge(cluster.run(), cluster.offer())), std::vector<std::string>{"gpu.gemm_bf16"});
}

TEST(GpuTrap, LinksAreCountedByModelNotByOneNumber) {
  GpuCluster nvl("h100-nvl-94gb", 1, 2);  // 12 links by design, over bridges
  EXPECT_EQ(verdict_of(judge(nvl.run(), nvl.offer()), "gpu.healthy").outcome, Outcome::pass);
}

TEST(GpuTrap, ASlowFirstGpuDoesNotFlatterTheScaling) {
  GpuCluster cluster("h100-sxm5-80gb", 1, 8);
  for (int rank = 0; rank < 4; ++rank) cluster.compute[""][rank] = 0.5;
  const Verdict verdict = verdict_of(judge(cluster.run(), cluster.offer()), "scaling.gpu_efficiency");
  EXPECT_EQ(verdict.outcome, Outcome::fail);
  EXPECT_THAT(verdict.notes, ::testing::Contains(HasSubstr("own base")));
}

TEST(GpuTrap, FewerCardsThanSoldLowerTheEfficiencyAgainstTheOffer) {
  GpuCluster cluster("a100-sxm4-80gb", 1, 4);
  std::string offer = cluster.offer();
  offer.replace(offer.find("count = 4"), 9, "count = 8");
  const Judgement judgement = judge(cluster.run(), offer);
  EXPECT_EQ(verdict_of(judgement, "gpu.count").outcome, Outcome::fail);
  EXPECT_EQ(verdict_of(judgement, "scaling.gpu_efficiency").outcome, Outcome::fail);
}

}  // namespace
}  // namespace assay
