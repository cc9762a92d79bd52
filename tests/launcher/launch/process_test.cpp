#include "launcher/launch/process.hpp"

#include <gtest/gtest.h>

#include <csignal>

#include "core/clock.hpp"

namespace assay {
namespace {

constexpr Seconds plenty{20};

TEST(RunProcess, CollectsOutputErrorsAndExitCode) {
  const ProcessResult result = run_process({"sh", "-c", "echo out; echo err >&2; exit 7"}, plenty);
  EXPECT_EQ(result.output, "out\n");
  EXPECT_EQ(result.errors, "err\n");
  EXPECT_EQ(result.exit_code, 7);
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(run_process({"sh", "-c", "kill -SEGV $$"}, plenty).exit_code, 128 + SIGSEGV);
}

TEST(RunProcess, TakesMoreThanAPipeHoldsAndGivesNoInput) {
  EXPECT_EQ(run_process({"sh", "-c", "head -c 1000000 /dev/zero"}, plenty).output.size(), 1'000'000u);
  EXPECT_EQ(run_process({"cat"}, plenty).output, "");
}

TEST(RunProcess, SaysWhyAProgramCannotBeStarted) {
  const ProcessResult result = run_process({"/nonexistent/program"}, plenty);
  EXPECT_EQ(result.exit_code, 127);
  EXPECT_EQ(result.errors, "/nonexistent/program: No such file or directory");
}

TEST(RunProcess, EndsAtItsTimeoutWithEverythingItStarted) {
  const double start = monotonic_seconds();
  const ProcessResult result = run_process({"sh", "-c", "echo begun; sleep 300 & echo $!; wait"}, Seconds(0.5));
  EXPECT_TRUE(result.timed_out);
  EXPECT_LT(monotonic_seconds() - start, 10);
  ASSERT_EQ(result.output.substr(0, 6), "begun\n");
  const int grandchild = std::stoi(result.output.substr(6));
  bool gone = false;
  for (int i = 0; i < 500 && !gone; ++i) {
    const auto state = run_process({"sh", "-c", "cut -d' ' -f3 /proc/" + std::to_string(grandchild) + "/stat"}, plenty);
    gone = state.exit_code != 0 || state.output.empty() || state.output == "Z\n";
  }
  EXPECT_TRUE(gone);
}

TEST(RunProcess, DoesNotWaitForAHelperThatKeepsTheOutputOpen) {
  const double start = monotonic_seconds();
  const ProcessResult result = run_process({"sh", "-c", "sleep 15 & echo done"}, plenty);
  EXPECT_EQ(result.output, "done\n");
  EXPECT_LT(monotonic_seconds() - start, 10);
}

TEST(RunProcesses, KeepsTheOrderAndRunsThemTogether) {
  std::vector<Arguments> commands;
  for (int i = 0; i < 100; ++i) commands.push_back({"sh", "-c", "sleep 0.2; echo " + std::to_string(i)});
  const double start = monotonic_seconds();
  const auto results = run_processes(commands, plenty);
  EXPECT_LT(monotonic_seconds() - start, 10);  // one after the other: 20 s
  ASSERT_EQ(results.size(), 100u);
  for (std::size_t i = 0; i < results.size(); ++i) EXPECT_EQ(results[i].output, std::to_string(i) + "\n");
  EXPECT_TRUE(run_processes({}, plenty).empty());
}

TEST(ShellLine, IsTakenApartIntoTheSameArguments) {
  EXPECT_EQ(shell_line({"mpirun", "-H", "node1:2,node2:2", "10.77.0.0/24", "a b", ""}),
            "mpirun -H node1:2,node2:2 10.77.0.0/24 'a b' ''");
  const Arguments words{"printf", "<%s>", "it's", "$HOME", "a\nb", "*", "\\", "\"x\"", "~", "mpi.(a|b)/bytes:8$"};
  std::string expected;
  for (std::size_t i = 2; i < words.size(); ++i) expected += "<" + words[i] + ">";
  EXPECT_EQ(run_process({"sh", "-c", shell_line(words)}, plenty).output, expected);
}

TEST(FindProgram, LooksThroughPath) {
  const auto sh = find_program("sh");
  ASSERT_TRUE(sh.has_value());
  EXPECT_EQ(sh->front(), '/');
  EXPECT_FALSE(find_program("no-such-program-anywhere").has_value());
}

}  // namespace
}  // namespace assay
