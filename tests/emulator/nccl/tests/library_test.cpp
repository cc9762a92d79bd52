// The emulated library as a program sees it: jobs of several processes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "tests/emulator/nccl/tests/job.hpp"

namespace emulator::nccl::tests {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

TEST(Library, EveryCollectiveAndTypeMovesAndReducesItsData) {
  for (const int ranks : {1, 2, 5}) {
    const auto outcome = Job{.cluster = "a100-1x8.toml", .scenario = "data", .ranks = ranks}.run();
    EXPECT_TRUE(outcome.sound()) << ranks << " ranks: " << outcome.errors;
  }
}

TEST(Library, DataCrossesNodes) {
  const auto outcome = Job{.cluster = "h100-4x8.toml", .scenario = "data", .ranks = 8, .per_node = 2}.run();
  EXPECT_TRUE(outcome.sound()) << outcome.errors;
}

TEST(Library, PartsOfACommunicator) {
  const auto outcome = Job{.cluster = "a100-1x8.toml", .scenario = "split", .ranks = 4}.run();
  EXPECT_TRUE(outcome.sound()) << outcome.errors;
}

TEST(Library, CapturedInAGraph) {
  const auto outcome = Job{.cluster = "a100-1x8.toml", .scenario = "graph", .ranks = 4}.run();
  EXPECT_TRUE(outcome.sound()) << outcome.errors;
  EXPECT_GT(outcome.number(0, "seconds"), 3 * 20e-6) << "three operations of at least the latency";
}

TEST(Library, NonBlockingCommunicators) {
  EXPECT_TRUE((Job{.cluster = "a100-1x8.toml", .scenario = "non_blocking", .ranks = 4}.run().sound()));
  const auto lonely = Job{.cluster = "a100-1x8.toml", .scenario = "lonely_start", .ranks = 2}.run();
  EXPECT_TRUE(lonely.sound()) << lonely.errors;
}

TEST(Library, AnAbortReleasesWhoeverWaitsForARankThatStaysAway) {
  const auto outcome = Job{.cluster = "a100-1x8.toml", .scenario = "stay_away", .ranks = 4}.run();
  EXPECT_TRUE(outcome.sound()) << outcome.errors;
}

TEST(Library, DifferentCallsAreAnAsynchronousError) {
  const auto outcome = Job{.cluster = "a100-1x8.toml", .scenario = "mismatch", .ranks = 3}.run();
  EXPECT_TRUE(outcome.sound()) << outcome.errors;
  EXPECT_THAT(outcome.text(2, "text"), HasSubstr("rank 1 called AllReduce of 99"));
  const auto messages = Job{.cluster = "a100-1x8.toml", .scenario = "message_mismatch", .ranks = 2}.run();
  EXPECT_TRUE(messages.sound()) << messages.errors;
}

TEST(Library, BadCallsAreRefused) {
  const auto outcome = Job{.cluster = "a100-1x8.toml", .scenario = "bad_arguments", .ranks = 2}.run();
  EXPECT_TRUE(outcome.sound()) << outcome.errors;
  EXPECT_THAT(outcome.errors, HasSubstr("ncclCommWindowRegister is not emulated"));
  const auto twice = Job{.cluster = "a100-1x8.toml", .scenario = "same_gpu_twice", .ranks = 2, .same_gpu = true}.run();
  EXPECT_TRUE(twice.sound()) << twice.errors;
  EXPECT_THAT(twice.text(1, "text"), HasSubstr("Duplicate GPU detected"));
  const auto pinned =
      Job{.cluster = "a100-1x8.toml", .scenario = "no_algorithm", .ranks = 2, .environment = {{"NCCL_ALGO", "Tree"}}}
          .run();
  EXPECT_TRUE(pinned.sound()) << pinned.errors;
  EXPECT_THAT(pinned.text(0, "text"), HasSubstr("no algorithm/protocol available for function Broadcast"));
}

TEST(Library, TheSameSeedGivesTheSameTimes) {
  const Job job{.cluster = "a100-1x8.toml", .scenario = "curve", .ranks = 4, .words = {"1", "64", "4096", "1048576"}};
  const auto first = job.run(), second = job.run();
  ASSERT_TRUE(first.sound()) << first.errors;
  EXPECT_EQ(first.said, second.said);
  auto other = job;
  other.environment = {{"ASSAY_EMULATOR_SEED", "2"}};
  EXPECT_NE(first.said, other.run().said);
}

TEST(Library, TheDebugStreamSaysWhatIsUsed) {
  const Job job{.cluster = "h100-4x8.toml",
                .scenario = "once",
                .ranks = 4,
                .per_node = 2,
                .environment = {{"NCCL_DEBUG", "INFO"}, {"NCCL_DEBUG_SUBSYS", "INIT,NET,TUNING,COLL,GRAPH"}}};
  const auto outcome = job.run();
  ASSERT_TRUE(outcome.sound()) << outcome.errors;
  EXPECT_THAT(outcome.lines, ContainsRegex("[^ :]+:[0-9]+:[0-9]+ \\[0\\] NCCL INFO NET/IB : Using \\[0\\]mlx5_0:1/IB"));
  EXPECT_THAT(outcome.lines, HasSubstr("NCCL INFO Using network IB"));
  EXPECT_THAT(outcome.lines, ContainsRegex("Channel 00/0 : 1\\[1\\] -> 2\\[0\\] \\[send\\] via NET/IB/1/GDRDMA"));
  EXPECT_THAT(outcome.lines, ContainsRegex("Channel 00/0 : 0\\[0\\] -> 1\\[1\\] via P2P/CUMEM"));
  EXPECT_THAT(outcome.lines, HasSubstr("Connected all rings, use ring PXN 0 GDR 1"));
  EXPECT_THAT(outcome.lines, ContainsRegex("[0-9]+ coll channels, [0-9]+ collnet channels, 16 nvls channels"));
  EXPECT_THAT(outcome.lines, ContainsRegex("rank 3 nranks 4 cudaDev 1 .* - Init COMPLETE"));
  EXPECT_THAT(outcome.lines,
              ContainsRegex("AllReduce: 8388608 Bytes -> Algo [A-Z_]+ proto [A-Z0-9]+ channel.Lo..Hi.=.0"));
  EXPECT_THAT(outcome.lines, ContainsRegex("AllReduce: opCount 0 sendbuff 0x"));
}

TEST(Library, TheDebugStreamKeepsToItsVariables) {
  Job job{.cluster = "a100-1x8.toml", .scenario = "once", .ranks = 2};
  EXPECT_THAT(job.run().lines, Not(HasSubstr("NCCL")));
  job.environment = {
      {"NCCL_DEBUG", "INFO"}, {"NCCL_DEBUG_SUBSYS", "TUNING"}, {"NCCL_ALGO", "Ring"}, {"NCCL_PROTO", "LL128"}};
  const auto lines = job.run().lines;
  EXPECT_THAT(lines, HasSubstr("Algo RING proto LL128"));
  EXPECT_THAT(lines, Not(HasSubstr("Init COMPLETE")));
  job.environment = {{"NCCL_DEBUG", "INFO"}, {"NCCL_P2P_DISABLE", "1"}};
  EXPECT_THAT(job.run().lines, HasSubstr("via SHM/direct/direct"));
  job.environment = {{"NCCL_DEBUG", "INFO"}, {"NCCL_P2P_DISABLE", "1"}, {"NCCL_SHM_DISABLE", "1"}};
  EXPECT_THAT(job.run().lines, HasSubstr("via NET/IB/0/GDRDMA"));
  job.environment = {{"NCCL_DEBUG", "INFO"}, {"NCCL_DEBUG_FILE", "/dev/null"}};
  EXPECT_THAT(job.run().lines, Not(HasSubstr("NCCL")));
}

TEST(Faults, AHangHoldsAllAndAnAbortEndsIt) {
  const auto outcome =
      Job{.cluster = "a100-1x8.toml",
          .scenario = "hang",
          .ranks = 4,
          .faults = "[[fault]]\nkind = 'hang'\nnode = 0\ngpu = 2\noperation = 'AllReduce'\nafter = 3\n"}
          .run();
  EXPECT_TRUE(outcome.sound()) << outcome.errors;
  for (int rank = 0; rank < 4; ++rank) EXPECT_EQ(outcome.number(rank, "done"), 3) << rank;
}

TEST(Faults, ACrashEndsTheRankAndIsARemoteErrorForTheOthers) {
  const auto outcome =
      Job{.cluster = "a100-1x8.toml",
          .scenario = "hang",
          .ranks = 3,
          .faults = "[[fault]]\nkind = 'crash'\nnode = 0\ngpu = 1\noperation = 'AllReduce'\nafter = 2\n"}
          .run();
  EXPECT_EQ(outcome.exit_codes, (std::vector<int>{0, -SIGKILL, 0})) << outcome.errors;
  EXPECT_EQ(outcome.number(0, "done"), 2);
}

TEST(Faults, WrongResultsOnTheirCardAlone) {
  const auto outcome = Job{.cluster = "a100-1x8.toml",
                           .scenario = "wrong",
                           .ranks = 4,
                           .faults = "[[fault]]\nkind = 'wrong_results'\nnode = 0\ngpu = 3\nrate = 1e-5\n"}
                           .run();
  ASSERT_TRUE(outcome.sound()) << outcome.errors;
  for (int rank = 0; rank < 3; ++rank) EXPECT_EQ(outcome.number(rank, "wrong"), 0);
  EXPECT_GE(outcome.number(3, "wrong"), 1);
  EXPECT_LE(outcome.number(3, "wrong"), 3);
}

}  // namespace
}  // namespace emulator::nccl::tests
