#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <vector>

#include "core/registry.hpp"
#include "core/thread_group.hpp"
#include "storage/io_engine.hpp"
#include "storage/signature.hpp"
#include "storage/test_file.hpp"
#include "tests/storage/support.hpp"

namespace assay {
namespace {

using namespace testing;

constexpr std::uint64_t file_bytes = 16 << 20;
const MonotonicClock wall_clock;

Context context_for(Group& group, BufferPool& buffers, const std::filesystem::path& path) {
  return {group, buffers, 11, Deadline(wall_clock, Seconds(60)), {0}, path, {}};
}

void run_batch(Case& benchmark, int iterations) {
  benchmark.begin();
  for (int i = 0; i < iterations; ++i) benchmark.run();
  benchmark.end();
}

Check check_whole(TestFile& file, std::uint64_t bytes, BufferPool& buffers) {
  const auto block = buffers.take(bytes);
  const std::span<std::byte> memory{block.data(), bytes};
  read_fully(file.file().descriptor(), file.file().path(), memory, 0);
  Check check;
  file.check(memory, 0, check);
  return check;
}

struct Setting {
  std::string name;
  std::string op;
  std::string engine;

  [[nodiscard]] Point point() const {
    const auto* bytes = name == "storage.random" ? "4096" : "262144";
    const auto text = fmt::format("bytes:{}/op:{}/depth:8/file:{}/ranks:one/engine:{}", bytes, op, file_bytes, engine);
    return Point::parse(text).value();
  }
};

class StorageCases : public ::testing::TestWithParam<Setting> {
 protected:
  void SetUp() override {
    if (GetParam().engine == "io_uring" && !why_no_uring().empty()) GTEST_SKIP() << why_no_uring();
  }
  [[nodiscard]] std::unique_ptr<Case> make() {
    return builtin_cases().find(GetParam().name)->make(context_, GetParam().point());
  }

  DiskDirectory directory_;
  SoloGroup group_;
  BufferPool buffers_;
  Context context_ = context_for(group_, buffers_, directory_.path());
};

TEST_P(StorageCases, VerifiesWhatItDid) {
  const auto benchmark = make();
  EXPECT_EQ(benchmark->verify().checked, 0U);
  for (int batch = 0; batch < 3; ++batch) {
    run_batch(*benchmark, 3);
    const Check check = benchmark->verify();
    EXPECT_GE(check.checked, 8U);
    EXPECT_EQ(check.wrong, 0U) << check.first;
  }
  EXPECT_EQ(entries_in(directory_.path()), 0U);
}

TEST_P(StorageCases, NoticesCorruptionAndTheNextCaseGetsASoundFile) {
  {
    const auto benchmark = make();
    EXPECT_FALSE(benchmark->corrupt());
    run_batch(*benchmark, 2);
    ASSERT_TRUE(benchmark->corrupt());
    const Check check = benchmark->verify();
    EXPECT_GE(check.wrong, 1U);
    EXPECT_TRUE(contains(check.first, "block at byte")) << check.first;
  }
  const auto file = test_file_of_rank(context_, file_bytes, GetParam().engine);
  const Check check = check_whole(*file, file_bytes, buffers_);
  EXPECT_EQ(check.checked, file_bytes / signed_block_bytes);
  EXPECT_EQ(check.wrong, 0U) << check.first;
}

TEST_P(StorageCases, SurvivesDestructionInMidBatch) {
  {
    const auto benchmark = make();
    benchmark->begin();
    benchmark->run();
  }
  const auto benchmark = make();
  run_batch(*benchmark, 20);  // more than a pass over the file
  const Check check = benchmark->verify();
  EXPECT_EQ(check.wrong, 0U) << check.first;
}

INSTANTIATE_TEST_SUITE_P(Each, StorageCases,
                         ::testing::Values(Setting{"storage.random", "read", "io_uring"},
                                           Setting{"storage.random", "write", "io_uring"},
                                           Setting{"storage.random", "read", "threads"},
                                           Setting{"storage.random", "write", "threads"},
                                           Setting{"storage.sequential", "read", "io_uring"},
                                           Setting{"storage.sequential", "write", "io_uring"},
                                           Setting{"storage.sequential", "read", "threads"},
                                           Setting{"storage.sequential", "write", "threads"}),
                         [](const auto& test) {
                           return (test.param.name == "storage.random" ? "random_" : "sequential_") + test.param.op +
                                  "_" + test.param.engine;
                         });

TEST(StorageRanks, EachHasItsFileAndTheWorkIsEverybodys) {
  const DiskDirectory directory;
  const Point point = Setting{"storage.random", "write", "threads"}.point();
  std::mutex mutex;
  std::vector<std::filesystem::path> files;
  run_thread_group(2, [&](Group& group) {
    BufferPool buffers;
    Context context = context_for(group, buffers, directory.path());
    const auto benchmark = builtin_cases().find("storage.random")->make(context, point);
    run_batch(*benchmark, 2);
    const Check check = benchmark->verify();
    const std::lock_guard lock(mutex);
    EXPECT_EQ(check.wrong, 0U) << check.first;
    EXPECT_EQ(benchmark->work().kind, WorkKind::operations);
    EXPECT_EQ(benchmark->work().amount, 2.0 * 256);
    files.push_back(test_file_of_rank(context, file_bytes, "threads")->file().path());
  });
  ASSERT_EQ(files.size(), 2U);
  EXPECT_NE(files[0], files[1]);
}

double seconds_of_run(Case& benchmark) {
  const double start = monotonic_seconds();
  benchmark.run();
  return monotonic_seconds() - start;
}

TEST(StorageCase, WhatCompletesBeforeTheFirstTimedIterationDoesNotCount) {
  const DiskDirectory directory;
  SoloGroup group;
  BufferPool buffers;
  Context context = context_for(group, buffers, directory.path());
  // As many transfers in flight as an iteration counts, so that counting them would leave nothing to time.
  const Point point = Point::parse(fmt::format("bytes:1048576/op:read/depth:32/file:{}/ranks:one/engine:{}", 64 << 20,
                                               best_io_engine()))
                          .value();
  const auto benchmark = builtin_cases().find("storage.sequential")->make(context, point);
  benchmark->begin();
  MonotonicClock().sleep(Seconds(0.3));
  const double first = seconds_of_run(*benchmark);
  double fastest = seconds_of_run(*benchmark);
  for (int i = 0; i < 5; ++i) fastest = std::min(fastest, seconds_of_run(*benchmark));
  benchmark->end();
  EXPECT_GT(first, 0.2 * fastest);
}

TEST(StorageCase, SequentialCountsBytes) {
  const DiskDirectory directory;
  SoloGroup group;
  BufferPool buffers;
  Context context = context_for(group, buffers, directory.path());
  const Setting setting{"storage.sequential", "read", "threads"};
  const auto benchmark = builtin_cases().find(setting.name)->make(context, setting.point());
  EXPECT_EQ(benchmark->work().kind, WorkKind::bytes);
  EXPECT_EQ(benchmark->work().amount, 32.0 * 262144);
}

TEST(StorageCase, QuickSuiteIsTheTimedPointsWithTheEngineNamed) {
  const Layout layout = Layout::single_node(4, 2);
  for (const char* name : {"storage.random", "storage.sequential"}) {
    const CaseInfo* info = builtin_cases().find(name);
    ASSERT_NE(info, nullptr);
    const auto points = points_of(*info, Suite::quick, layout);
    EXPECT_EQ(points.size(), 4U);  // read, write; one, all
    for (const Point& point : points) {
      EXPECT_EQ(point.get("engine"), best_io_engine());
      EXPECT_EQ(point.integer("depth"), 32U);
      const std::size_t ranks = info->sets(layout, point).at(0).size();
      EXPECT_EQ(ranks, point.get("ranks") == "one" ? 1U : 2U);
    }
  }
}

TEST(StorageCase, RefusesSizesThatDoNotFit) {
  const DiskDirectory directory;
  SoloGroup group;
  BufferPool buffers;
  Context context = context_for(group, buffers, directory.path());
  for (const char* sizes : {"bytes:1000/op:read/depth:1/file:100000", "bytes:4096/op:read/depth:32/file:65536",
                            "bytes:4096/op:read/depth:0/file:65536", "bytes:0/op:read/depth:1/file:65536"}) {
    const Point point = Point::parse(std::string(sizes) + "/ranks:one/engine:threads").value();
    const auto error = error_of([&] { auto made = builtin_cases().find("storage.random")->make(context, point); });
    ASSERT_TRUE(error) << sizes;
    EXPECT_TRUE(contains(error->what(), "do not fit")) << error->what();
  }
}

TEST(TestFile, LostWriteIsNoticed) {
  const DiskDirectory directory;
  BufferPool buffers;
  TestFile file(directory.path(), 3, 0);
  file.extend(1 << 20, "threads", buffers);
  const auto block = buffers.take(signed_block_bytes);
  const std::span<std::byte> memory{block.data(), signed_block_bytes};
  file.sign(memory, 8192, 0);  // and never written
  read_fully(file.file().descriptor(), file.file().path(), memory, 8192);
  Check check;
  file.check(memory, 8192, check);
  EXPECT_EQ(check.checked, 1U);
  EXPECT_EQ(check.wrong, 1U);
  EXPECT_TRUE(contains(check.first, "block at byte 8192: generation 1, expected 2")) << check.first;
}

TEST(TestFile, IsKeptFromCaseToCaseAndGrows) {
  const DiskDirectory directory;
  SoloGroup group;
  BufferPool buffers;
  const Context context = context_for(group, buffers, directory.path());
  const auto first = test_file_of_rank(context, 1 << 20, "threads");
  const auto second = test_file_of_rank(context, 4 << 20, "threads");
  EXPECT_EQ(first, second);
  const Check check = check_whole(*second, 4 << 20, buffers);
  EXPECT_EQ(check.checked, 1024U);
  EXPECT_EQ(check.wrong, 0U) << check.first;
}

TEST(TestFile, FollowsTheDirectory) {
  const DiskDirectory one;
  const DiskDirectory two;
  SoloGroup group;
  BufferPool buffers;
  const auto first = test_file_of_rank(context_for(group, buffers, one.path()), 1 << 20, "threads");
  const auto second = test_file_of_rank(context_for(group, buffers, two.path()), 1 << 20, "threads");
  EXPECT_EQ(first->file().path().parent_path(), one.path());
  EXPECT_EQ(second->file().path().parent_path(), two.path());
}

}  // namespace
}  // namespace assay
