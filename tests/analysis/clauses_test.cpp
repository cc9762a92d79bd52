#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/analysis/synthetic.hpp"

namespace assay {
namespace {

using Each = test::ClauseCase;
using test::judge_one;
using test::SyntheticRun;
using ::testing::HasSubstr;

class EachClause : public ::testing::TestWithParam<Each> {};

TEST_P(EachClause, PassesWhatIsDelivered) {
  for (const int nodes : {1, 2}) {
    SyntheticRun run(nodes, 4 / nodes);
    run.plant_everything();
    const Verdict verdict = judge_one(run.data(), GetParam().offer(GetParam().met));
    EXPECT_EQ(verdict.outcome, Outcome::pass) << nodes << " nodes: " << verdict.reason;
  }
}

TEST_P(EachClause, FailsWhatIsNot) {
  for (const int nodes : {1, 2}) {
    SyntheticRun run(nodes, 4 / nodes);
    run.plant_everything();
    const Verdict verdict = judge_one(run.data(), GetParam().offer(GetParam().breached));
    EXPECT_EQ(verdict.outcome, Outcome::fail) << nodes << " nodes: " << verdict.reason;
    EXPECT_FALSE(verdict.question.empty());
    EXPECT_FALSE(verdict.member.empty());
  }
}

TEST_P(EachClause, AnEmptyRunPassesNothing) {
  RunData empty;
  empty.run.status = "done";
  const Verdict verdict = judge_one(empty, GetParam().offer(GetParam().met));
  EXPECT_EQ(verdict.outcome, Outcome::not_tested) << verdict.reason;
  EXPECT_FALSE(verdict.reason.empty());
  EXPECT_THAT(verdict.settle, HasSubstr("assay run"));
}

INSTANTIATE_TEST_SUITE_P(, EachClause,
                         ::testing::Values(Each{"cluster.nodes", "1", "3"}, Each{"cluster.ranks", "4", "8"},
                                           Each{"node.cpu_cores", "4", "5"}, Each{"node.cpu_threads", "4", "5"},
                                           Each{"node.memory", "\"16 GiB\"", "\"17 GiB\""},
                                           Each{"node.compute_fp64", "\"40 GFLOP/s\"", "\"50 GFLOP/s\""},
                                           Each{"node.compute_fp32", "\"80 GFLOP/s\"", "\"100 GFLOP/s\""},
                                           Each{"node.memory_bandwidth", "\"25 GB/s\"", "\"26 GB/s\""},
                                           Each{"network.pair_bandwidth",
                                                "{ value = \"5 GB/s\", direction = \"one_way\", from = \"1 MiB\" }",
                                                "{ value = \"7 GB/s\", direction = \"one_way\", from = \"1 MiB\" }"},
                                           Each{"network.pair_latency", "{ value = \"1 us\", to = \"8 B\" }",
                                                "{ value = \"0.8 us\", to = \"8 B\" }"},
                                           Each{"network.all_reduce", "{ busbw = \"4 GB/s\", from = \"1 MiB\" }",
                                                "{ busbw = \"5 GB/s\", from = \"1 MiB\" }"},
                                           Each{"network.all_gather", "{ busbw = \"4 GB/s\", from = \"1 MiB\" }",
                                                "{ busbw = \"5 GB/s\", from = \"1 MiB\" }"},
                                           Each{"network.reduce_scatter", "{ busbw = \"4 GB/s\", from = \"1 MiB\" }",
                                                "{ busbw = \"5 GB/s\", from = \"1 MiB\" }"},
                                           Each{"network.all_to_all", "{ busbw = \"4 GB/s\", from = \"1 MiB\" }",
                                                "{ busbw = \"5 GB/s\", from = \"1 MiB\" }"},
                                           Each{"network.broadcast", "{ busbw = \"4 GB/s\", from = \"1 MiB\" }",
                                                "{ busbw = \"5 GB/s\", from = \"1 MiB\" }"},
                                           Each{"storage.sequential_read", "\"1 GB/s\"", "\"1.2 GB/s\""},
                                           Each{"storage.sequential_write", "\"1 GB/s\"", "\"1.2 GB/s\""},
                                           Each{"storage.random_read", "\"50 kIOPS\"", "\"60 kIOPS\""},
                                           Each{"storage.random_write", "\"50 kIOPS\"", "\"60 kIOPS\""}),
                         [](const auto& param_info) {
                           std::string name = param_info.param.key;
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

TEST(Clauses, EveryRegisteredKindIsTestedAbove) {
  // scaling.efficiency has its own file, and so have the 21 clauses on GPUs and what joins them.
  EXPECT_EQ(builtin_clauses().kinds().size(), 41u);
  for (const ClauseInfo& kind : builtin_clauses().kinds()) {
    EXPECT_FALSE(kind.summary.empty()) << kind.key;
    EXPECT_FALSE(kind.question.empty()) << kind.key;
    EXPECT_FALSE(kind.derate_source.empty()) << kind.key;
  }
}

TEST(Clauses, TheWorstNodeDecides) {
  SyntheticRun run(3, 2);
  run.data().nodes[1].memory_granted_bytes = 8LL << 30;
  const Verdict memory = judge_one(run.data(), "[node]\nmemory = \"16 GiB\"\n");
  EXPECT_EQ(memory.outcome, Outcome::fail);
  EXPECT_EQ(memory.member, "node2");
  EXPECT_THAT(memory.cause, HasSubstr("the cgroup's limit is below the installed 16 GiB"));

  run.data().nodes[2].cpu_quota = 1.5;
  const Verdict cores = judge_one(run.data(), "[node]\ncpu_threads = 4\n");
  EXPECT_EQ(cores.outcome, Outcome::fail);
  EXPECT_EQ(cores.measured->value, 1.5);
  EXPECT_THAT(cores.cause, HasSubstr("quota grants 1.5 of 4 CPUs"));
}

TEST(Clauses, MemoryForgivesTheKernelsShareButNotGigabytesForGibibytes) {
  SyntheticRun run;
  const auto outcome_with = [&](double bytes) {
    run.data().nodes[0].memory_granted_bytes = static_cast<std::int64_t>(bytes);
    return judge_one(run.data(), "[node]\nmemory = \"64 GiB\"\n").outcome;
  };
  constexpr double gib = 1024.0 * 1024 * 1024;
  EXPECT_EQ(outcome_with(62.7 * gib), Outcome::pass);
  EXPECT_EQ(outcome_with(64e9), Outcome::fail);
}

TEST(Clauses, HardwareThreadsAreNoCores) {
  SyntheticRun run;
  run.data().nodes[0].threads = 8;
  run.data().nodes[0].cpus_granted = 8;
  EXPECT_EQ(judge_one(run.data(), "[node]\ncpu_threads = 8\n").outcome, Outcome::pass);
  EXPECT_EQ(judge_one(run.data(), "[node]\ncpu_cores = 4\n").outcome, Outcome::pass);
  EXPECT_EQ(judge_one(run.data(), "[node]\ncpu_cores = 8\n").outcome, Outcome::fail);
}

TEST(Clauses, AnUnknownFigureOfOneNodeIsNotTested) {
  SyntheticRun run(2, 2);
  run.data().nodes[1].cpus_granted = 0;
  const Verdict verdict = judge_one(run.data(), "[node]\ncpu_cores = 4\n");
  EXPECT_EQ(verdict.outcome, Outcome::not_tested);
  EXPECT_THAT(verdict.reason, HasSubstr("node2"));
}

TEST(Clauses, FewerNodesFailUnlessOnlyAPartWasRented) {
  SyntheticRun run(2, 2);
  EXPECT_EQ(judge_one(run.data(), "[cluster]\nnodes = 4\n").outcome, Outcome::fail);
  const Judgement partial = test::judge(run.data(), "[cluster]\nnodes = 4\nranks = 4\n", true);
  EXPECT_EQ(partial.verdicts[0].outcome, Outcome::not_tested);
  EXPECT_FALSE(partial.verdicts[0].in_scope);
  EXPECT_THAT(partial.verdicts[0].reason, HasSubstr("2 of 4 nodes"));
  EXPECT_EQ(partial.overall, Outcome::pass);
  EXPECT_EQ(judge_one(run.data(), "[cluster]\nnodes = 1\n").outcome, Outcome::pass) << "more than sold";
}

TEST(Clauses, TheWorstPairIsNamedAndItsNodeToo) {
  SyntheticRun run(3, 1);
  run.plant_everything();
  for (auto& row : run.data().series) {  // everything with rank 2 (node3) at half speed
    const auto members = run.data().members_of(row);
    if (row.case_name == "mpi.pairs" && members[1] == 2) row.work /= members[0] == 0 ? 2.2 : 2;
  }
  const Verdict verdict = judge_one(
      run.data(), "[network]\npair_bandwidth = { value = \"5 GB/s\", direction = \"one_way\", from = \"1 MiB\" }\n");
  EXPECT_EQ(verdict.outcome, Outcome::fail);
  EXPECT_THAT(verdict.member, HasSubstr("ranks 0,2 on node1, node3: mpi.pairs/bytes:4194304"));
  EXPECT_THAT(verdict.reason, HasSubstr("2 of 3 sets fail, all of them with node3"));
}

TEST(Clauses, TheWrongDirectionSettlesNothing) {
  SyntheticRun run;
  run.plant_everything();
  const Verdict verdict = judge_one(
      run.data(), "[network]\npair_bandwidth = { value = \"1 GB/s\", direction = \"both_ways\", from = \"1 MiB\" }\n");
  EXPECT_EQ(verdict.outcome, Outcome::not_tested);
  EXPECT_THAT(verdict.reason, HasSubstr("both_ways"));
}

TEST(Clauses, ANodeWithoutPairsKeepsFromPass) {
  SyntheticRun run(2, 2);
  run.plant({.case_name = "mpi.bandwidth",
             .point = "bytes:4194304/way:one_way/between:node",
             .members = {0, 1},
             .direction = "one_way",
             .value = 5e9});
  const Verdict verdict = judge_one(
      run.data(), "[network]\npair_bandwidth = { value = \"1 GB/s\", direction = \"one_way\", from = \"1 MiB\" }\n");
  EXPECT_EQ(verdict.outcome, Outcome::not_tested);
  EXPECT_THAT(verdict.reason, HasSubstr("node2"));
}

TEST(Clauses, AMissingHostKeepsAPerNodeClauseFromPass) {
  SyntheticRun run(2, 2);
  run.plant({.case_name = "host.gemm",
             .point = "n:1024/dtype:f64/ranks:node",
             .members = {0, 1},
             .work_kind = "flops",
             .value = 40e9});
  const Verdict verdict = judge_one(run.data(), "[node]\ncompute_fp64 = \"10 GFLOP/s\"\n");
  EXPECT_EQ(verdict.outcome, Outcome::not_tested);
  EXPECT_THAT(verdict.reason, HasSubstr("node2"));
}

TEST(Clauses, ComputeTakesTheLargestSizeNotTheBest) {
  SyntheticRun run;
  const auto plant = [&](const char* n, double value) {
    run.plant({.case_name = "host.gemm",
               .point = std::string("n:") + n + "/dtype:f64/ranks:all",
               .members = run.all_ranks(),
               .work_kind = "flops",
               .value = value});
  };
  plant("1024", 100e9);
  plant("4096", 40e9);
  plant("2048", 90e9);
  EXPECT_EQ(judge_one(run.data(), "[node]\ncompute_fp64 = \"80 GFLOP/s\"\n").outcome, Outcome::fail);
}

TEST(Clauses, StorageFasterThanMemoryIsInvalid) {
  SyntheticRun run;
  run.plant_everything();
  for (auto& row : run.data().series) {
    if (row.case_name == "storage.sequential") row.work *= 40;
  }
  const Verdict verdict = judge_one(run.data(), "[storage]\nsequential_read = \"1 GB/s\"\n");
  EXPECT_EQ(verdict.outcome, Outcome::invalid);
  EXPECT_THAT(verdict.reason, HasSubstr("a cache answered"));
}

TEST(Clauses, ACollectiveOverAPartOfTheRanksIsNotTested) {
  SyntheticRun run(1, 4);
  run.plant({.case_name = "mpi.all_reduce", .point = "bytes:8/dtype:f32/ranks:all", .members = {0, 1}, .value = 1e9});
  const Verdict verdict = judge_one(run.data(), "[network]\nall_reduce = { busbw = \"1 MB/s\", to = \"8 B\" }\n");
  EXPECT_EQ(verdict.outcome, Outcome::not_tested);
  EXPECT_THAT(verdict.reason, HasSubstr("ranks 2-3 on node1"));
}

TEST(Clauses, TheEnvironmentIsNamedBeforeTheHardware) {
  SyntheticRun run(2, 1);
  run.plant_everything();
  run.data().run.environment = "PATH=/bin\nUCX_TLS=tcp\nLANG=C\n";
  const Verdict verdict = judge_one(run.data(), "[network]\nall_reduce = { busbw = \"90 GB/s\", from = \"1 MiB\" }\n");
  EXPECT_EQ(verdict.outcome, Outcome::fail);
  EXPECT_EQ(verdict.cause, "the environment chooses the transport: UCX_TLS=tcp");
}

TEST(Clauses, RegistryRefusesDuplicatesAndIncompleteKinds) {
  ClauseRegistry registry;
  const auto nothing = [](Verdict&, const JudgeContext&) {};
  registry.add({.key = "b.x", .judge = nothing});
  registry.add({.key = "a.x", .judge = nothing});
  EXPECT_EQ(registry.kinds().front().key, "a.x");
  EXPECT_THROW(registry.add({.key = "a.x", .judge = nothing}), Error);
  EXPECT_THROW(registry.add({.key = "plain", .judge = nothing}), Error);
  EXPECT_THROW(registry.add({.key = "c.x", .judge = nullptr}), Error);
}

}  // namespace
}  // namespace assay
