#include "launcher/run/recorder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "core/statistics.hpp"
#include "core/thread_group.hpp"
#include "results/reader.hpp"
#include "tests/launcher/fake_case.hpp"
#include "tests/temporary_directory.hpp"

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

class RecorderTest : public ::testing::Test {
 protected:
  RecorderTest() { info_ = testing::fake_info(steps_); }

  // Rank r of set s took seconds r + i for iteration i.
  std::vector<Recorded> record(int ranks, const RankSets& sets, std::uint64_t keep_bytes, std::size_t iterations) {
    results::Writer writer = results::Writer::create(directory_ / "run.h5", {}, true);
    std::vector<Recorded> recorded;
    run_thread_group(ranks, [&](Group& world) {
      Recorder recorder(world, world.rank() == 0 ? &writer : nullptr, keep_bytes, 1);
      Sampled sampled;
      for (std::size_t i = 0; i < iterations; ++i) sampled.seconds.push_back(world.rank() + static_cast<double>(i));
      sampled.check = {5, 0, ""};
      sampled.work = steps_.work;
      const bool member = std::any_of(sets.begin(), sets.end(), [&](const auto& set) {
        return std::find(set.begin(), set.end(), world.rank()) != set.end();
      });
      const PlannedPoint planned{&info_, *Point::parse("bytes:8"), sets};
      auto rows = recorder.record(planned, 2, 1, member ? &sampled : nullptr, {0, 1, 1e-7, 1e-7, 0, 0, 3, false});
      if (world.rank() == 0) recorded = std::move(rows);
    });
    return recorded;
  }

  test::TemporaryDirectory directory_;
  testing::FakeSteps steps_;
  CaseInfo info_;
};

TEST_F(RecorderTest, EachSetBecomesASeriesWithItsSamplesInRankOrder) {
  const auto recorded = record(5, {{0, 3}, {1, 2}}, 1 << 20, 2);
  ASSERT_THAT(recorded, SizeIs(2));
  const auto reader = results::Reader::open(directory_ / "run.h5");
  const auto rows = reader.series();
  ASSERT_THAT(rows, SizeIs(2));
  EXPECT_EQ(rows[0].peer, 3);
  EXPECT_EQ(rows[0].epoch, 2);
  EXPECT_EQ(rows[0].involuntary_switches, 6);
  EXPECT_THAT(reader.samples(rows[0]), ElementsAre(0, 1, 3, 4));
  EXPECT_THAT(reader.samples(rows[1]), ElementsAre(1, 2, 2, 3));
  EXPECT_EQ(recorded[0].value, 100 / 3.5);
}

TEST_F(RecorderTest, BeyondTheCapASubsetIsKeptAndTheHistogramIsExact) {
  const auto recorded = record(2, {{0, 1}}, 2 * 10 * sizeof(double), 1000);
  const auto reader = results::Reader::open(directory_ / "run.h5");
  const auto row = reader.series().at(0);
  EXPECT_EQ(row.kept, 10);
  EXPECT_EQ(row.iterations, 1000);
  EXPECT_NE(row.flags & results::flag_subset, 0u);
  const auto histogram = reader.histogram(row.histogram);
  EXPECT_EQ(std::accumulate(histogram.begin(), histogram.end(), std::uint64_t{0}), 2000u);
}

TEST(Subset, HasTheWantedSizeAscendsAndDependsOnTheSeed) {
  const auto chosen = choose_subset(1000, 100, 5);
  EXPECT_THAT(chosen, SizeIs(100));
  EXPECT_TRUE(std::is_sorted(chosen.begin(), chosen.end()));
  EXPECT_EQ(std::adjacent_find(chosen.begin(), chosen.end()), chosen.end());
  EXPECT_EQ(chosen, choose_subset(1000, 100, 5));
  EXPECT_NE(chosen, choose_subset(1000, 100, 6));
  EXPECT_THAT(choose_subset(3, 10, 1), ElementsAre(0, 1, 2));
}

}  // namespace
}  // namespace assay
