#include "launcher/run/run_telemetry.hpp"

#include <gmock/gmock.h>

#include "core/clock.hpp"
#include "core/thread_group.hpp"
#include "results/reader.hpp"
#include "tests/launcher/fake_case.hpp"
#include "tests/temporary_directory.hpp"

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// GPU 1 of its node is too hot; GPU 0 goes lost at once.
class HotSource final : public TelemetrySource {
 public:
  std::vector<TelemetryValue> fast() override {
    return {{0, "gpu.clock_event_reasons", 0}, {1, "gpu.clock_event_reasons", 0x40}};
  }
  std::vector<TelemetryValue> slow() override { return {}; }
  std::vector<TelemetryValue> counters() override { return {{0, "nic.symbol_error", 1}}; }
  std::vector<std::string> happenings() override { return std::exchange(happenings_, {}); }

 private:
  std::vector<std::string> happenings_{"GPU 0 is lost"};
};

class RunTelemetryTest : public ::testing::Test {
 protected:
  /// Two nodes of two ranks with a GPU each; the second node reads. Flags of each set, as rank 0 gets them.
  std::vector<std::uint32_t> flags(const CaseInfo& info, const RankSets& sets) {
    std::vector<std::uint32_t> result;
    results::Writer writer = results::Writer::create(directory_ / "run.h5", {}, true);
    run_thread_group(4, [&](Group& world) {
      Placement placement;
      placement.layout = Layout::with_gpus(2, 2);
      placement.node = placement.layout.node_of[static_cast<std::size_t>(world.rank())];
      const double start = monotonic_seconds();
      RunTelemetry telemetry(world, placement, world.rank() == 2 ? std::make_unique<HotSource>() : nullptr, start,
                             world.rank() == 0 ? &writer : nullptr);
      telemetry.mark();
      world.barrier();
      auto mine = telemetry.collect({&info, *Point::parse("bytes:8"), sets}, {-1, monotonic_seconds() - start + 1});
      if (world.rank() == 0) {
        result = mine;
      } else {
        EXPECT_THAT(mine, IsEmpty());
      }
      telemetry.finish();
    });
    writer.finish("done", "");
    return result;
  }

  CaseInfo gpu_case() {
    CaseInfo info = testing::fake_info(steps_);
    info.needs.gpus = 1;
    return info;
  }

  test::TemporaryDirectory directory_;
  testing::FakeSteps steps_;
};

TEST_F(RunTelemetryTest, TheSetsOfAHotGpuAreMarked) {
  EXPECT_THAT(flags(gpu_case(), {{0, 1}, {2}, {3}}), ElementsAre(0, 0, results::flag_throttled));
  EXPECT_THAT(flags(gpu_case(), {{0, 3}}), ElementsAre(results::flag_throttled));
}

TEST_F(RunTelemetryTest, ACaseThatUsesNoGpuIsNotMarked) {
  EXPECT_THAT(flags(testing::fake_info(steps_), {{2, 3}}), ElementsAre(0));
}

TEST_F(RunTelemetryTest, EverythingIsInTheFileOnTheRunsClock) {
  (void)flags(gpu_case(), {{0, 1, 2, 3}});
  const auto reader = results::Reader::open(directory_ / "run.h5");
  const auto rows = reader.rows<results::TelemetryRow>();
  const auto count = [&](const std::string& metric) {
    return std::count_if(rows.begin(), rows.end(), [&](const auto& row) { return row.metric == metric; });
  };
  EXPECT_EQ(count("nic.symbol_error"), 1);
  EXPECT_EQ(count("telemetry.cpu"), 1);
  EXPECT_GE(count("gpu.clock_event_reasons"), 2);
  for (const auto& row : rows) {
    EXPECT_EQ(row.node, 1);
    EXPECT_LT(std::abs(row.time), 60);
  }
  const auto events = reader.rows<results::EventRow>();
  ASSERT_THAT(events, SizeIs(1));
  EXPECT_EQ(events[0].text, "node2: GPU 0 is lost");
  EXPECT_EQ(events[0].rank, 2);
}

}  // namespace
}  // namespace assay
