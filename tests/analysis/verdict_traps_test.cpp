// Mistakes that verdicts of other tools made; each must not be possible here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "analysis/report.hpp"
#include "tests/analysis/synthetic.hpp"

namespace assay {
namespace {

using test::judge;
using test::judge_one;
using test::SyntheticRun;
using ::testing::HasSubstr;

constexpr const char* reduce_offer = "[network]\nall_reduce = { busbw = \"4 GB/s\", from = \"64 KiB\" }\n";

std::string whole_offer() {
  return R"([cluster]
nodes = 1
[node]
cpu_cores = 4
memory = "16 GiB"
compute_fp64 = "40 GFLOP/s"
memory_bandwidth = "20 GB/s"
[network]
pair_bandwidth = { value = "5 GB/s", direction = "one_way", from = "1 MiB" }
pair_latency = { value = "1 us", to = "8 B" }
all_reduce = { busbw = "4 GB/s", from = "1 MiB" }
[storage]
sequential_read = "1 GB/s"
random_read = "50 kIOPS"
[scaling]
efficiency = 0.9
)";
}

SyntheticRun healthy() {
  SyntheticRun run;
  run.plant_everything();
  return run;
}

TEST(Traps, AHealthyRunPassesTheWholeOffer) {
  SyntheticRun run = healthy();
  const Judgement judgement = judge(run.data(), whole_offer());
  EXPECT_EQ(judgement.overall, Outcome::pass) << report_text(judgement, false);
  EXPECT_EQ(judgement.exit_code(), ExitCode::ok);
}

TEST(Traps, FortyPercentLossFails) {
  SyntheticRun run;
  run.plant_everything(0.6);
  const Judgement judgement = judge(run.data(), whole_offer());
  EXPECT_EQ(judgement.exit_code(), ExitCode::clause_failed);
  EXPECT_EQ(judgement.count(Outcome::fail), 8) << "all that is measured, not what is counted\n"
                                               << report_text(judgement, false);
}

TEST(Traps, AMissingSeriesKeepsTheWholeFromPass) {
  SyntheticRun run = healthy();
  std::erase_if(run.data().series, [](const auto& row) { return row.case_name == "mpi.all_reduce"; });
  const Judgement judgement = judge(run.data(), whole_offer());
  EXPECT_EQ(judgement.overall, Outcome::not_tested);
  EXPECT_EQ(judgement.exit_code(), ExitCode::incomplete);
  EXPECT_THAT(judgement.summary, HasSubstr("network.all_reduce"));
}

TEST(Traps, NaNComparesFalseButDoesNotPass) {
  SyntheticRun run = healthy();
  const auto row = std::find_if(run.data().series.begin(), run.data().series.end(), [](const auto& r) {
    return r.case_name == "mpi.all_reduce" && r.point.starts_with("bytes:4194304");
  });
  run.data().samples[static_cast<std::size_t>(row->offset)] = NAN;
  const Judgement judgement = judge(run.data(), whole_offer());
  EXPECT_EQ(judgement.overall, Outcome::invalid);
  EXPECT_EQ(judgement.exit_code(), ExitCode::incomplete);
}

TEST(Traps, EachSizeIsJudgedNotTheMean) {
  SyntheticRun run;
  const auto plant = [&](const char* bytes, double value) {
    run.plant({.case_name = "mpi.all_reduce",
               .point = std::string("bytes:") + bytes + "/dtype:f32/ranks:all",
               .members = run.all_ranks(),
               .bus_factor = 1.5,
               .value = value});
  };
  plant("65536", 20e9);
  plant("4194304", 1e9);  // the mean over both would be far above the floor
  const Verdict verdict = judge_one(run.data(), reduce_offer);
  EXPECT_EQ(verdict.outcome, Outcome::fail);
  EXPECT_THAT(verdict.member, HasSubstr("bytes:4194304"));
}

TEST(Traps, AFloorDoesNotApplyOutsideItsSizes) {
  SyntheticRun run;
  run.plant({.case_name = "mpi.all_reduce",
             .point = "bytes:8/dtype:f32/ranks:all",
             .members = run.all_ranks(),
             .value = 1e6});
  const Verdict verdict = judge_one(run.data(), reduce_offer);
  EXPECT_EQ(verdict.outcome, Outcome::not_tested);
  EXPECT_THAT(verdict.reason, HasSubstr("no size from 64 KiB was measured, only 8 B"));
}

TEST(Traps, TheBestOfManyEpochsDoesNotWin) {
  SyntheticRun run;
  run.plant({.case_name = "mpi.all_reduce",
             .point = "bytes:65536/dtype:f32/ranks:all",
             .members = run.all_ranks(),
             .value = 1e9,
             .epochs = 9});
  auto& best = run.data().series[4];
  best.work *= 10;
  EXPECT_EQ(judge_one(run.data(), reduce_offer).outcome, Outcome::fail);
}

TEST(Traps, AFailedTransferIsNoPass) {
  SyntheticRun run = healthy();
  for (auto& row : run.data().series) {
    if (row.case_name == "storage.random" && row.epoch == 2) row.status = "failed";
  }
  const Judgement judgement = judge(run.data(), whole_offer());
  EXPECT_EQ(judgement.exit_code(), ExitCode::incomplete);
  EXPECT_EQ(judgement.overall, Outcome::not_tested);
}

TEST(Traps, FastButWrongDataFails) {
  SyntheticRun run;
  run.plant_everything(10);
  for (auto& row : run.data().series) {
    if (row.case_name == "mpi.all_reduce" && row.epoch == 3) row.wrong = 1;
  }
  const Verdict verdict = judge_one(run.data(), reduce_offer);
  EXPECT_EQ(verdict.outcome, Outcome::fail);
  EXPECT_THAT(verdict.reason, HasSubstr("wrong data"));
}

TEST(Traps, UnverifiedDataIsNoPass) {
  SyntheticRun run = healthy();
  for (auto& row : run.data().series) row.checked = 0;
  EXPECT_EQ(judge_one(run.data(), reduce_offer).outcome, Outcome::invalid);
}

TEST(Traps, AveragesInPlaceOfSamplesAreInvalid) {
  SyntheticRun run = healthy();
  for (auto& sample : run.data().samples) sample = 1e-9;
  EXPECT_EQ(judge_one(run.data(), reduce_offer).outcome, Outcome::invalid);
}

TEST(Traps, FewerRanksThanExpectedFail) {
  SyntheticRun run(1, 1);  // every process started as a run of its own
  EXPECT_EQ(judge_one(run.data(), "[cluster]\nranks = 4\n").outcome, Outcome::fail);
}

TEST(Traps, AnUnfinishedRunNeverPasses) {
  for (const char* status : {"running", "stopped", ""}) {
    SyntheticRun run = healthy();
    run.data().run.status = status;
    const Judgement judgement = judge(run.data(), whole_offer());
    EXPECT_EQ(judgement.exit_code(), ExitCode::incomplete) << status;
    EXPECT_THAT(judgement.summary, HasSubstr("not complete"));
  }
}

TEST(Traps, AnUnfinishedRunCanStillFail) {
  SyntheticRun run;
  run.plant_everything(0.3);
  run.data().run.status = "stopped";
  EXPECT_EQ(judge(run.data(), whole_offer()).exit_code(), ExitCode::clause_failed);
}

TEST(Traps, BreachedAttestationsCountAsFailedAndMetOnesAsSettled) {
  SyntheticRun run = healthy();
  ClauseRegistry kinds;
  kinds.add({.key = "sla.support", .judge = [](Verdict& verdict, const JudgeContext&) {
               verdict.decide(verdict.clause.value > 1 ? Outcome::attested_breached : Outcome::attested_met,
                              "as entered");
             }});
  const auto overall = [&](const char* offer) {
    return judge_run(run.data(), parse_offer(offer, "o.toml", kinds), kinds, false).exit_code();
  };
  EXPECT_EQ(overall("[sla]\nsupport = 1\n"), ExitCode::ok);
  EXPECT_EQ(overall("[sla]\nsupport = 2\n"), ExitCode::clause_failed);
}

TEST(Traps, EqualInputGivesEqualOutput) {
  SyntheticRun run = healthy();
  EXPECT_EQ(report_json(judge(run.data(), whole_offer())), report_json(judge(run.data(), whole_offer())));
  SyntheticRun reversed = healthy();
  std::reverse(reversed.data().series.begin(), reversed.data().series.end());
  const Judgement a = judge(run.data(), whole_offer());
  const Judgement b = judge(reversed.data(), whole_offer());
  for (std::size_t i = 0; i < a.verdicts.size(); ++i) {
    EXPECT_EQ(a.verdicts[i].outcome, b.verdicts[i].outcome);
    EXPECT_EQ(a.verdicts[i].reason, b.verdicts[i].reason);
  }
}

}  // namespace
}  // namespace assay
