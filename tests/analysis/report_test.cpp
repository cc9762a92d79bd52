#include "analysis/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/analysis/synthetic.hpp"

namespace assay {
namespace {

using test::judge;
using test::SyntheticRun;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* offer = R"([provider]
name = "Example"
product = "small"
[node]
cpu_cores = 8
[network]
all_reduce = { busbw = "4 GB/s", from = "1 MiB" }
[storage]
sequential_read = "1 GB/s"
)";

Judgement example(bool emulated = false) {
  SyntheticRun run;
  run.plant_everything();
  run.data().run.emulated = emulated;
  std::erase_if(run.data().series, [](const auto& row) { return row.case_name == "storage.sequential"; });
  return judge(run.data(), offer);
}

TEST(ReportText, FirstLineSaysWhatTheEvidenceIs) {
  EXPECT_THAT(report_text(example(), false), StartsWith("measured hardware | 0 % of "));
  EXPECT_THAT(report_text(example(), false), HasSubstr("2 of 3 clauses settled"));
  EXPECT_THAT(report_text(example(true), false), StartsWith("EMULATED hardware"));
}

TEST(ReportText, NamesVerdictLimitEvidenceAndWhatToDo) {
  const std::string text = report_text(example(), false);
  EXPECT_THAT(text, HasSubstr("FAIL       node.cpu_cores"));
  EXPECT_THAT(text, HasSubstr("PASS       network.all_reduce, from 1 MiB"));
  EXPECT_THAT(text, HasSubstr("NOT_TESTED storage.sequential_read"));
  EXPECT_THAT(text, HasSubstr("offer.toml:5"));
  EXPECT_THAT(text, HasSubstr("4 found, 8 needed"));
  EXPECT_THAT(text, HasSubstr("'storage.sequential/"));
  EXPECT_THAT(text, HasSubstr("--path DIR"));
  EXPECT_THAT(text, HasSubstr("overall: FAIL: not as advertised: node.cpu_cores"));
}

TEST(ReportText, KeepsTo100ColumnsButForCommandsToCopy) {
  std::istringstream lines(report_text(example(), false));
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("    settle with")) {
      EXPECT_LE(line.size(), 100u) << line;
    }
  }
}

TEST(ReportText, EscapeSequencesOfOthersDoNotReachTheTerminal) {
  Judgement judgement = example();
  judgement.provider = "\033[31mred\007";
  judgement.verdicts.front().reason = "a\033b";
  const std::string text = report_text(judgement, false);
  EXPECT_THAT(text, Not(HasSubstr("\033")));
  EXPECT_THAT(text, HasSubstr("?[31mred?"));
}

TEST(ReportText, ColoursOnlyWhenAsked) {
  EXPECT_THAT(report_text(example(), false), Not(HasSubstr("\033")));
  EXPECT_THAT(report_text(example(), true), HasSubstr("\033[31mFAIL"));
}

TEST(ReportJson, HoldsTheSameAnswers) {
  const auto json = nlohmann::json::parse(report_json(example(true)));
  EXPECT_EQ(json["schema"], "assay.judgement/1");
  EXPECT_EQ(json["emulated"], true);
  EXPECT_EQ(json["overall"], "FAIL");
  EXPECT_EQ(json["exit_code"], 1);
  ASSERT_EQ(json["verdicts"].size(), 3u);
  const auto& cores = json["verdicts"][0];
  EXPECT_EQ(cores["outcome"], "FAIL");
  EXPECT_EQ(cores["clause"]["line"], 5);
  EXPECT_EQ(cores["measured"]["value"], 4);
  EXPECT_EQ(cores["measured"]["counted"], true);
  const auto& reduce = json["verdicts"][1];
  EXPECT_EQ(reduce["clause"]["unit"], "B/s");
  EXPECT_EQ(reduce["clause"]["sizes"]["from"], 1048576);
  EXPECT_EQ(reduce["measured"]["epochs"], 5);
  EXPECT_EQ(reduce["evidence"].size(), 5u);
  EXPECT_TRUE(json["verdicts"][2]["measured"].is_null());
}

TEST(ReportJson, UnprintableHostNamesDoNotStopIt) {
  SyntheticRun run;
  run.data().nodes[0].host = "node\xff";
  run.data().nodes[0].cores = 1;
  const auto json = nlohmann::json::parse(report_json(judge(run.data(), "[node]\ncpu_cores = 4\n")));
  EXPECT_EQ(json["verdicts"][0]["outcome"], "FAIL");
}

}  // namespace
}  // namespace assay
