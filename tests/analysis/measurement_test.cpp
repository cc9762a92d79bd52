#include "analysis/measurement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/error.hpp"
#include "tests/analysis/synthetic.hpp"

namespace assay {
namespace {

using test::Planted;
using test::SyntheticRun;
using ::testing::HasSubstr;

const Planted all_reduce{.case_name = "mpi.all_reduce",
                         .point = "bytes:8/ranks:all",
                         .members = {0, 1, 2, 3},
                         .bus_factor = 1.5,
                         .value = 2e9};

Measurement measured(RunData& data) {
  const SeriesIndex index(data);
  EXPECT_EQ(index.sets().size(), 1u);
  return measure(data, index.sets().front());
}

TEST(Measurement, IsTheMedianOfEpochMediansWithItsInterval) {
  SyntheticRun run;
  run.plant(all_reduce);
  const Measurement m = measured(run.data());
  EXPECT_EQ(m.evidence, Evidence::valid);
  EXPECT_EQ(m.epochs, 5);
  EXPECT_NEAR(m.value, 2e9, 2e9 * 1e-9);
  EXPECT_NEAR(m.interval.low, 1.98e9, 1e3);
  EXPECT_NEAR(m.interval.high, 2.02e9, 1e3);
  EXPECT_EQ(m.dimension, Dimension::bytes_per_second);
  EXPECT_EQ(m.series, (std::vector<std::int64_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(m.name, "mpi.all_reduce/bytes:8/ranks:all");
}

TEST(Measurement, TheSlowestRankDecides) {
  SyntheticRun run;
  run.plant(all_reduce);
  for (const auto& row : run.data().series) {  // rank 2 takes three times as long
    for (std::int64_t i = 0; i < row.kept; ++i)
      run.data().samples[static_cast<std::size_t>(row.offset + 2 * row.kept + i)] *= 3;
  }
  EXPECT_NEAR(measured(run.data()).value, 2e9 / 3, 1e3);
}

TEST(Measurement, LatencyIsSecondsPerStep) {
  SyntheticRun run;
  run.plant({.case_name = "mpi.ping_pong",
             .point = "bytes:8",
             .members = {0, 1},
             .work_kind = "latency",
             .work = 2,
             .value = 3e-6});
  const Measurement m = measured(run.data());
  EXPECT_EQ(m.dimension, Dimension::seconds);
  EXPECT_NEAR(m.value, 3e-6, 1e-14);
}

TEST(Measurement, OneGoodEpochDoesNotWin) {
  SyntheticRun run;
  run.plant(all_reduce);
  const auto& first = run.data().series.front();
  for (std::int64_t i = 0; i < first.count; ++i) run.data().samples[static_cast<std::size_t>(first.offset + i)] /= 10;
  EXPECT_NEAR(measured(run.data()).value, 2.01e9, 1e6) << "the median of epochs, not the best";
}

struct Damage {
  const char* name;
  void (*apply)(RunData&);
  Evidence expected;
  const char* problem;
};

void PrintTo(const Damage& damage, std::ostream* out) { *out << damage.name; }

class Damaged : public ::testing::TestWithParam<Damage> {};

TEST_P(Damaged, IsNotedAndNeverValid) {
  SyntheticRun run;
  run.plant(all_reduce);
  GetParam().apply(run.data());
  const Measurement m = measured(run.data());
  EXPECT_EQ(m.evidence, GetParam().expected);
  EXPECT_THAT(m.problem, HasSubstr(GetParam().problem));
}

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();
constexpr double infinite = std::numeric_limits<double>::infinity();

INSTANTIATE_TEST_SUITE_P(
    , Damaged,
    ::testing::Values(
        Damage{"NaNSample", [](RunData& d) { d.samples[30] = nan_value; }, Evidence::invalid, "NaN"},
        Damage{"InfiniteSample", [](RunData& d) { d.samples[30] = infinite; }, Evidence::invalid, "infinite"},
        Damage{"NegativeSample", [](RunData& d) { d.samples[30] = -1e-6; }, Evidence::invalid, "negative"},
        Damage{"ZeroSample", [](RunData& d) { d.samples[30] = 0; }, Evidence::invalid, "zero"},
        Damage{"NaNWork", [](RunData& d) { d.series[1].work = nan_value; }, Evidence::invalid, "no amount"},
        Damage{"ZeroWork", [](RunData& d) { d.series[1].work = 0; }, Evidence::invalid, "no amount"},
        Damage{"NaNBusFactor", [](RunData& d) { d.series[1].bus_factor = nan_value; }, Evidence::invalid, "no amount"},
        Damage{"UnknownWork", [](RunData& d) { d.series[1].work_kind = "wishes"; }, Evidence::invalid, "unknown work"},
        Damage{"UnknownStatus", [](RunData& d) { d.series[1].status = "fine"; }, Evidence::invalid,
               "unknown status 'fine'"},
        Damage{"NoSamples", [](RunData& d) { d.series[1].count = d.series[1].kept = 0; }, Evidence::invalid,
               "0 samples"},
        Damage{"SamplesOfARankMissing", [](RunData& d) { d.series[1].count -= d.series[1].kept; }, Evidence::invalid,
               "21 samples for 4 ranks"},
        Damage{"NothingVerified", [](RunData& d) { d.series[1].checked = 0; }, Evidence::invalid,
               "no data was verified"},
        Damage{"WrongData",
               [](RunData& d) {
                 d.series[1].status = "wrong_data";
                 d.series[1].wrong = 3;
               },
               Evidence::wrong_data, "wrong data: 3 of 100"},
        Damage{"NegativeCountOfWrongElements", [](RunData& d) { d.series[1].wrong = -1; }, Evidence::invalid,
               "counts -1 wrong"},
        Damage{"FewerIterationsThanKept", [](RunData& d) { d.series[1].iterations = 0; }, Evidence::invalid,
               "of 0 iterations"},
        Damage{"WrongElementsUnderStatusOk", [](RunData& d) { d.series[1].wrong = 1; }, Evidence::wrong_data,
               "wrong data: 1 of 100"},
        Damage{"Failed",
               [](RunData& d) {
                 d.series[1].status = "failed";
                 d.events.push_back({0, "error", 1, 3, "link down"});
               },
               Evidence::failed, "failed in epoch 1: rank 3: link down"},
        Damage{"FailedWithoutReason", [](RunData& d) { d.series[4].status = "failed"; }, Evidence::failed,
               "no reason recorded"},
        Damage{"TooSlow", [](RunData& d) { d.series[1].status = "too_slow"; }, Evidence::too_slow,
               "given up as too slow in epoch 1"},
        Damage{"AveragesInPlaceOfSamples",
               [](RunData& d) {
                 for (auto& s : d.samples) s = 1e-6;
               },
               Evidence::invalid, "averages in place of samples"}),
    [](const auto& param_info) { return std::string(param_info.param.name); });

TEST(Measurement, TheGravestProblemWinsInAnyOrder) {
  for (const auto& [first, second] : {std::pair{0u, 3u}, std::pair{3u, 0u}}) {
    SyntheticRun run;
    run.plant(all_reduce);
    run.data().series[first].status = "failed";
    run.data().series[second].wrong = 2;
    EXPECT_EQ(measured(run.data()).evidence, Evidence::wrong_data);
  }
}

TEST(Measurement, AnEpochGivenUpCountsWithItsSlowestRank) {
  SyntheticRun run;
  run.plant(all_reduce);
  auto& row = run.data().series[4];
  row.status = "too_slow";
  row.kept = 1;
  row.count = row.ranks;
  row.checked = 0;
  row.combine = "concurrent";  // three ranks were quick, one was stuck
  run.data().samples[static_cast<std::size_t>(row.offset)] = row.work * row.bus_factor / 1e3;
  const Measurement m = measured(run.data());
  EXPECT_EQ(m.evidence, Evidence::too_slow);
  EXPECT_EQ(m.epochs, 5);
  EXPECT_EQ(m.slow_epochs, 1);
  EXPECT_FALSE(m.mostly_slow());
  EXPECT_NEAR(m.interval.low, 1e3, 1e-6);
}

TEST(Measurement, GivenUpWithoutSamplesHasNoValue) {
  SyntheticRun run;
  run.plant(all_reduce);
  for (auto& row : run.data().series) {
    row.status = "too_slow";
    row.kept = row.count = 0;
  }
  const Measurement m = measured(run.data());
  EXPECT_EQ(m.evidence, Evidence::too_slow);
  EXPECT_EQ(m.epochs, 0);
  EXPECT_TRUE(std::isnan(m.value));
}

TEST(Measurement, CountsDisturbedEpochs) {
  SyntheticRun run;
  run.plant(all_reduce);
  run.data().series[0].flags = results::flag_steal;
  run.data().series[1].flags = results::flag_contaminated | results::flag_subset;
  run.data().series[2].flags = results::flag_throttled;  // the machine's own doing: no excuse
  run.data().series[3].flags = results::flag_oversubscribed;
  const Measurement m = measured(run.data());
  EXPECT_EQ(m.disturbed_epochs, 3);
  EXPECT_EQ(m.oversubscribed_epochs, 1);
  EXPECT_TRUE(m.mostly_disturbed());
  EXPECT_EQ(flag_names(m.flags), "contaminated, steal, oversubscribed, subset, throttled");
}

TEST(Measurement, AnEpochMeasuredTwiceCountsOnce) {
  SyntheticRun run;
  run.plant(all_reduce);
  for (auto& row : run.data().series) row.epoch = std::min(row.epoch, 3);
  EXPECT_EQ(measured(run.data()).epochs, 4);
}

TEST(SeriesIndex, SetsDifferByCasePointAndMembers) {
  SyntheticRun run;
  run.plant(all_reduce);
  Planted other = all_reduce;
  other.members = {0, 1};
  run.plant(other);
  other.point = "bytes:16/ranks:all";
  run.plant(other);
  const SeriesIndex index(run.data());
  EXPECT_EQ(index.sets().size(), 3u);
  EXPECT_EQ(index.matching({"mpi.all_reduce", {{"bytes", "8"}}}).size(), 2u);
  EXPECT_EQ(index.matching({"mpi.all_reduce", {{"bytes", "1"}}}).size(), 0u);
  EXPECT_EQ(index.matching({"mpi.all", {}}).size(), 0u);
}

TEST(SeriesIndex, RowsThatPointOutsideAreRefused) {
  SyntheticRun run;
  run.plant(all_reduce);
  run.data().series[2].offset = 1 << 20;
  EXPECT_THROW((void)measured(run.data()), Error);
  run.data().series[2].offset = -1;
  EXPECT_THROW((void)measured(run.data()), Error);
  run.data().series[2].members = 1 << 20;
  EXPECT_THROW(SeriesIndex{run.data()}, Error);
}

}  // namespace
}  // namespace assay
