#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/thread_group.hpp"
#include "kernels/host/filling.hpp"
#include "tests/kernels/fixtures.hpp"

namespace assay {
namespace {

using testing::allowed_cpus;
using testing::CaseUnderTest;

struct Example {
  std::string name;
  std::string point;
};

class HostCase : public ::testing::TestWithParam<Example> {
 protected:
  SoloGroup group_;
};

TEST_P(HostCase, VerifiesWhatRan) {
  CaseUnderTest test(GetParam().name, GetParam().point, group_, allowed_cpus());
  for (int batch = 1; batch <= 3; ++batch) {
    test.iterate(batch);
    const Check check = test->verify();
    EXPECT_EQ(check.wrong, 0U) << check.first;
    EXPECT_GT(check.checked, 0U);
  }
}

TEST_P(HostCase, NoticesCorruption) {
  CaseUnderTest test(GetParam().name, GetParam().point, group_, allowed_cpus());
  test.iterate(1);
  ASSERT_EQ(test->verify().wrong, 0U);
  ASSERT_TRUE(test->corrupt());
  const Check check = test->verify();
  EXPECT_GT(check.wrong, 0U);
  EXPECT_FALSE(check.first.empty());
}

class HostCaseWithOutput : public HostCase {};

TEST_P(HostCaseWithOutput, IsNotRightBeforeAnIterationOfTheBatchRan) {
  CaseUnderTest test(GetParam().name, GetParam().point, group_, allowed_cpus());
  EXPECT_GT(test->verify().wrong, 0U);
  test.iterate(1);
  EXPECT_EQ(test->verify().wrong, 0U);
  test->begin();
  EXPECT_GT(test->verify().wrong, 0U);
}

const auto with_output = ::testing::Values(
    Example{"host.gemm", "n:96/dtype:f64/ranks:all"}, Example{"host.gemm", "n:96/dtype:f32/ranks:all"},
    Example{"host.memory", "bytes:32768/op:copy/ranks:all"}, Example{"host.memory", "bytes:262144/op:triad/ranks:all"},
    Example{"host.memory", "bytes:4194304/op:triad/ranks:all"},
    Example{"host.memory", "bytes:262144/op:read/ranks:all"}, Example{"host.memory", "bytes:262144/op:write/ranks:all"},
    Example{"host.memory", "bytes:262144/op:scale/ranks:all"}, Example{"host.memory", "bytes:262144/op:add/ranks:all"});

INSTANTIATE_TEST_SUITE_P(WithOutput, HostCase, with_output);
INSTANTIATE_TEST_SUITE_P(WithOutput, HostCaseWithOutput, with_output);
INSTANTIATE_TEST_SUITE_P(Latency, HostCase,
                         ::testing::Values(Example{"host.latency", "bytes:32768/ranks:one"},
                                           Example{"host.latency", "bytes:4194304/ranks:one"}));

TEST(HostGemm, WorkIsTwoNCubedForEachCpuOfTheSet) {
  run_thread_group(2, [](Group& group) {
    const int cpu = allowed_cpus().front();
    const std::vector<int> cpus = group.rank() == 0 ? std::vector<int>{cpu, cpu, cpu} : std::vector<int>{cpu};
    CaseUnderTest test("host.gemm", "n:64/dtype:f64/ranks:all", group, cpus);
    EXPECT_EQ(test->work().kind, WorkKind::flops);
    EXPECT_EQ(test->work().amount, 4 * 2.0 * 64 * 64 * 64);
  });
}

TEST(HostGemm, RunsTheKernelsThatTheRunAgreedOn) {
  SoloGroup group;
  const auto make = [&group](const std::string& kernel) {
    const CaseUnderTest test("host.gemm", "n:64/dtype:f64/ranks:one", group, {allowed_cpus().front()},
                             {{"blas.kernel", kernel}});
  };
  EXPECT_NO_THROW(make(""));
  EXPECT_THROW(make("NO_SUCH_KERNEL"), Error);
}

TEST(HostMemory, CountsBytesAsStreamDoes) {
  SoloGroup group;
  const int cpu = allowed_cpus().front();
  const double bytes = 64.0 * 1024 * 1024;
  for (const auto& [op, arrays] : std::vector<std::pair<std::string, double>>{{"copy", 2}, {"triad", 3}, {"read", 1}}) {
    CaseUnderTest test("host.memory", "bytes:67108864/op:" + op + "/ranks:one", group, {cpu});
    const double passes = op == "read" ? 2 : 1;
    EXPECT_EQ(test->work().kind, WorkKind::bytes);
    EXPECT_EQ(test->work().amount, passes * arrays * bytes) << op;
  }
}

TEST(HostMemory, CountsTheBytesOfEveryCpuOfTheSet) {
  run_thread_group(2, [](Group& group) {
    const int cpu = allowed_cpus().front();
    const std::vector<int> cpus = group.rank() == 0 ? std::vector<int>{cpu, cpu} : std::vector<int>{cpu};
    CaseUnderTest test("host.memory", "bytes:16777216/op:copy/ranks:all", group, cpus);
    EXPECT_EQ(test->work().amount, 3 * 4 * 2 * 16777216.0) << "CPUs x passes x arrays x bytes";
  });
}

TEST(HostMemory, FillsANodeWithArraysOf64MiBAtMost) {
  const CaseInfo* info = builtin_cases().find("host.memory");
  ASSERT_NE(info, nullptr);
  const Layout layout = Layout::single_node(4, 2);
  const auto sets = [&](const char* point) { return info->sets(layout, Point::parse(point).value()); };
  EXPECT_EQ(sets("bytes:67108864/op:copy/ranks:all").size(), 1U);
  EXPECT_EQ(sets("bytes:67108864/op:copy/ranks:all").front().size(), 2U);
  EXPECT_TRUE(sets("bytes:268435456/op:copy/ranks:all").empty());
  EXPECT_EQ(sets("bytes:268435456/op:copy/ranks:one").size(), 1U);
}

TEST(HostLatency, WorkIsTheNumberOfLoads) {
  SoloGroup group;
  CaseUnderTest test("host.latency", "bytes:32768/ranks:one", group, {allowed_cpus().front()});
  EXPECT_EQ(test->work().kind, WorkKind::latency);
  EXPECT_EQ(test->work().amount, 1048576);
}

TEST(HostCases, GiveTheirCpusBack) {
  const std::vector<int> before = allowed_cpus();
  SoloGroup group;
  {
    CaseUnderTest test("host.latency", "bytes:32768/ranks:one", group, {before.back()});
    test.iterate(1);
    EXPECT_EQ(allowed_cpus(), std::vector<int>{before.back()});
  }
  EXPECT_EQ(allowed_cpus(), before);
}

TEST(PerCpuMemory, GivesEveryCpuPagesOfItsOwn) {
  BufferPool buffers;
  const int cpu = allowed_cpus().front();
  ThreadTeam team({cpu, cpu, cpu});
  for (const std::size_t bytes : {std::size_t{100}, std::size_t{5000}, std::size_t{3} << 20}) {
    const PerCpuMemory memory(buffers, team, bytes);
    for (std::size_t index = 0; index < 3; ++index) {
      EXPECT_EQ(memory.piece(index).size(), bytes);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.piece(index).data()) % 4096, 0U);
      if (index > 0) {
        EXPECT_GE(memory.piece(index).data(), memory.piece(index - 1).data() + bytes);
      }
      std::ranges::fill(memory.piece(index), std::byte{0xff});
    }
  }
}

TEST(HostCases, AxisNodeIsThereWithSeveralNodesOnly) {
  Layout two_nodes;
  two_nodes.node_of = {0, 1};
  two_nodes.node_names = {"a", "b"};
  two_nodes.cpus_granted = {2, 2};
  const CaseInfo* info = builtin_cases().find("host.gemm");
  ASSERT_NE(info, nullptr);
  EXPECT_EQ(points_of(*info, Suite::quick, Layout::single_node(2, 2)).size(), 4U);
  EXPECT_EQ(points_of(*info, Suite::quick, two_nodes).size(), 6U);
  EXPECT_EQ(info->sets(two_nodes, Point::parse("n:1024/dtype:f64/ranks:node").value()).size(), 2U);
}

TEST(HostCases, AnUnknownOpIsAnError) {
  SoloGroup group;
  EXPECT_THROW(CaseUnderTest("host.memory", "bytes:32768/op:bogus/ranks:one", group, {0}), Error);
}

}  // namespace
}  // namespace assay
