#include "analysis/summary.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "tests/analysis/synthetic.hpp"

namespace assay {
namespace {

using test::SyntheticRun;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(Summary, ListsEachSetWithItsFigureAndMarks) {
  SyntheticRun run(2, 2);
  run.plant_everything();
  run.data().series[0].flags = results::flag_steal;
  run.data().series[5].status = "failed";
  const std::string text = summary_text(run.data());
  EXPECT_THAT(text, StartsWith("run 00112233aabbccdd of 2026-11-30T17:58:12Z: 4 ranks on 2 nodes"));
  EXPECT_THAT(text, HasSubstr("node 1 node2: Test CPU"));
  EXPECT_THAT(text,
              HasSubstr("10 GFLOP/s           [9.9 GFLOP/s, 10.1 GFLOP/s]        5  rank 0 on node1            steal"));
  EXPECT_THAT(text, HasSubstr("FAILED: failed in epoch 0"));
  EXPECT_THAT(text, HasSubstr("5 GB/s  one way"));
  EXPECT_THAT(text, Not(HasSubstr("EMULATED")));
  run.data().run.emulated = true;
  EXPECT_THAT(summary_text(run.data()), StartsWith("EMULATED"));
}

TEST(Summary, JsonHasOneEntryPerSet) {
  SyntheticRun run;
  run.plant_everything();
  const auto json = nlohmann::json::parse(summary_json(run.data()));
  EXPECT_EQ(json["schema"], "assay.summary/1");
  EXPECT_EQ(json["run"]["status"], "done");
  EXPECT_EQ(json["series"].size() * 5, run.data().series.size());
  EXPECT_EQ(json["series"][0]["members"], nlohmann::json::array({0}));
  EXPECT_NEAR(json["series"][0]["value"].get<double>(), 10e9, 1e3);
}

TEST(Summary, PairsAreAMatrix) {
  SyntheticRun run(1, 3);
  run.plant_everything();
  const std::string text = pairs_text(run.data());
  EXPECT_THAT(text, HasSubstr("latency at 8 B between ranks, one way"));
  EXPECT_THAT(text, HasSubstr("rate at 4 MiB between ranks, one way"));
  EXPECT_THAT(text, HasSubstr("     0  5 GB/s  5 GB/s"));
  EXPECT_THAT(text, HasSubstr("     1          5 GB/s"));
}

TEST(Summary, NoPairsIsAnError) {
  SyntheticRun run;
  EXPECT_THROW((void)pairs_text(run.data()), Error);
}

TEST(Summary, SamplesAreARowPerIteration) {
  SyntheticRun run;
  const auto id = run.plant({.case_name = "host.gemm", .point = "n:8", .members = {0, 1}, .work_kind = "flops"});
  const std::string text = samples_text(run.data(), id);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 8);
  EXPECT_THAT(text, StartsWith("# series 0: host.gemm/n:8 epoch 0, ok, ranks 0-1 on node1; seconds"));
  EXPECT_THROW((void)samples_text(run.data(), 77), Error);
}

}  // namespace
}  // namespace assay
