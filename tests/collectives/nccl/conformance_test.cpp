// Every NCCL case on the ranks of an mpirun, one GPU each, at small sizes: data are right, damage is noticed, batches
// of different lengths, all types, in place and out of place, one node and two. Run under the emulator.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "collectives/nccl/communicators.hpp"
#include "core/registry.hpp"
#include "kernels/cuda/device.hpp"
#include "tests/collectives/case_runs.hpp"

namespace assay::nccl {
namespace {

/// Few sizes show everything: less than a block for each rank, whole buffers, and where algorithms are pinned.
bool chosen(const CaseInfo& info, const Point& point) {
  const std::uint64_t bytes = point.integer("bytes");
  if (info.name == "nccl.pairs" || bytes == 8 || bytes == (1U << 20)) return true;
  return info.name == "nccl.all_reduce" && bytes == (1U << 24) && point.get("algo") != "free";
}

/// The ranks of the mpirun with a GPU each, as if the upper half sat on a second node when `nodes` is 2.
Layout layout_of(int nodes) {
  const int ranks = world().size();
  const int each = ranks / nodes;
  Layout layout = Layout::with_gpus(nodes, each);
  layout.gpu.capability = 90;
  return layout;
}

/// This rank's GPU, from the first test to the last: it has to go before the libraries do.
class Gpu final : public testing::Environment {
 public:
  void SetUp() override {
    const auto visible = static_cast<int>(cuda::visible_devices().size());
    held() = cuda::CudaBackend().open(world().rank() % visible);
  }
  void TearDown() override { held().reset(); }
  static std::unique_ptr<Device>& held() {
    static std::unique_ptr<Device> device;
    return device;
  }
};

const testing::Environment* const gpu = testing::AddGlobalTestEnvironment(std::make_unique<Gpu>().release());

Device& device() { return *Gpu::held(); }

void at_every_point(Suite suite, const std::function<void(const CaseInfo&, Case&, Group&)>& body) {
  ASSERT_GE(world().size(), 2) << "every case needs two ranks";
  for (const CaseInfo& info : builtin_cases().cases()) {
    if (!info.needs.nccl) continue;
    for (int nodes = 1; nodes <= (world().size() % 2 == 0 ? 2 : 1); ++nodes) {
      const Layout layout = layout_of(nodes);
      for (const Point& point : points_of(info, suite, layout)) {
        if (!chosen(info, point)) continue;
        SCOPED_TRACE(info.name + "/" + point.text() + " nodes:" + std::to_string(nodes));
        on_each_set(
            info, layout, point, [&](Case& made, Group& group) { body(info, made, group); }, device());
      }
    }
  }
}

TEST(RegistryTest, AllCasesAreThere) {
  std::vector<std::string> names;
  for (const CaseInfo& info : builtin_cases().cases()) {
    if (!info.needs.nccl) continue;
    names.push_back(info.name);
    EXPECT_EQ(info.needs.gpus, 2) << info.name;
    EXPECT_EQ(info.timing, Timing::device) << info.name;
    EXPECT_EQ(info.combine, Combine::slowest) << info.name;
    EXPECT_LE(info.longest_batch, 64U) << info.name;
  }
  EXPECT_THAT(names, testing::ElementsAre("nccl.all_gather", "nccl.all_reduce", "nccl.all_to_all", "nccl.broadcast",
                                          "nccl.gather", "nccl.latency", "nccl.pairs", "nccl.reduce",
                                          "nccl.reduce_scatter", "nccl.scatter", "nccl.send_recv"));
}

TEST(ConformanceTest, TimedDataAreRightAndTimed) {
  at_every_point(Suite::full, [](const CaseInfo&, Case& made, Group& group) {
    run_batch(made, 1);
    run_batch(made, 3);
    std::vector<double> seconds(3);
    made.device_seconds(seconds);
    for (const double one : seconds) EXPECT_TRUE(std::isfinite(one) && one > 0) << one;
    const Check check = made.verify();
    EXPECT_EQ(check.wrong, 0U) << check.first;
    EXPECT_GT(sum_over(group, static_cast<double>(check.checked)), 0);
    EXPECT_GT(made.work().amount, 0);
    EXPECT_THAT(made.method(), testing::HasSubstr("NCCL 2."));
  });
}

TEST(ConformanceTest, CorruptionIsNoticed) {
  at_every_point(Suite::standard, [](const CaseInfo&, Case& made, Group& group) {
    run_batch(made, 2);
    const bool corrupted = made.corrupt();
    const Check check = made.verify();
    EXPECT_EQ(check.wrong, corrupted ? 1U : 0U);
    EXPECT_EQ(check.first.empty(), !corrupted);
    EXPECT_EQ(corrupted, check.checked > 0);
    EXPECT_GT(sum_over(group, corrupted ? 1 : 0), 0);
  });
}

TEST(ConformanceTest, ABatchWithoutAnOperationIsNoResult) {
  at_every_point(Suite::quick, [](const CaseInfo&, Case& made, Group&) {
    run_batch(made, 2);
    run_batch(made, 0);
    const Check check = made.verify();
    EXPECT_EQ(check.wrong > 0, check.checked > 0);
  });
}

TEST(CommunicatorTest, DifferentVersionsAreNamedByRank) {
  EXPECT_EQ(version_conflict({"2.28.9", "2.28.9"}, {4, 5}), "");
  EXPECT_EQ(version_conflict({"2.28.9", "2.28.9", "2.27.3", "2.28.9"}, {8, 9, 10, 11}),
            "ranks 10 have 2.27.3, ranks 8-9,11 have 2.28.9");
}

TEST(CommunicatorTest, IsKeptForTheSameRanksAndMadeAnewAfterAFailure) {
  static BufferPool pool;
  const MonotonicClock clock;
  const Layout layout = layout_of(1);
  Context context{world(), pool,      1,       Deadline(clock, Seconds(60)), {0}, {},
                  {},      &device(), &layout, everyone(layout).front()};
  const auto keep = Communicators::Keeping::for_the_run;
  const auto first = Communicators::get(context, "", keep, {});
  EXPECT_EQ(Communicators::get(context, "", keep, {}), first);
  EXPECT_NE(Communicators::get(context, "Ring", keep, {}), first);
  if (world().rank() == 0) first->abort();
  const auto second = Communicators::get(context, "", keep, {});
  EXPECT_NE(second, first);
  EXPECT_FALSE(second->broken());
}

}  // namespace
}  // namespace assay::nccl
