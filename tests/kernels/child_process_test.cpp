#include "kernels/host/child_process.hpp"

#include <gmock/gmock.h>
#include <signal.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "core/clock.hpp"
#include "core/error.hpp"

namespace assay {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

ChildResult shell(const std::string& script, double limit = 10) {
  return run_child({"/bin/sh", "-c", script}, Seconds(limit));
}

TEST(RunChild, BringsOutputAndExitCode) {
  const ChildResult result = shell("echo one; echo two >&2; echo three; exit 7");
  EXPECT_EQ(result.output, "one\nthree\n");
  EXPECT_EQ(result.exit_code, 7);
  EXPECT_EQ(result.signal, 0);
  EXPECT_FALSE(result.timed_out);
}

TEST(RunChild, NamesTheSignal) { EXPECT_EQ(shell("kill -ILL $$").signal, SIGILL); }

/// A process that is gone, or waits for its parent to notice its end.
bool has_ended(const std::string& pid) {
  std::ifstream stat("/proc/" + pid + "/stat");
  std::string number;
  std::string name;
  std::string state;
  return !(stat >> number >> name >> state) || state == "Z";
}

TEST(RunChild, KillsWhatTakesTooLongWithItsOwnChildren) {
  const ChildResult result = shell("sleep 30 & echo $!; sleep 30", 0.3);
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(result.signal, SIGKILL);
  const std::string grandchild = result.output.substr(0, result.output.find('\n'));
  ASSERT_FALSE(grandchild.empty());
  MonotonicClock clock;
  for (int i = 0; i < 500 && !has_ended(grandchild); ++i) clock.sleep(Seconds(0.01));
  EXPECT_TRUE(has_ended(grandchild)) << grandchild;
}

TEST(RunChild, AChildThatClosesItsOutputAndHangsTimesOut) {
  EXPECT_TRUE(shell("exec >&-; exec sleep 30", 0.3).timed_out);
}

TEST(RunChild, KeepsOnlySoMuchOutput) {
  const ChildResult result = shell("yes | head -c 300000");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_LE(result.output.size(), 70000U);
}

TEST(RunChild, TheChildDoesNotTakeItselfForARank) {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"}) setenv(name, "3", 1);
  setenv("ASSAY_TEST_KEPT", "yes", 1);
  const std::string output = shell("env").output;
  for (const char* name : {"OMPI_", "PMIX_", "PMI_", "SLURM_"}) EXPECT_THAT(output, Not(HasSubstr(name)));
  EXPECT_THAT(output, HasSubstr("ASSAY_TEST_KEPT=yes"));
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"}) unsetenv(name);
  unsetenv("ASSAY_TEST_KEPT");
}

TEST(RunChild, AProgramThatIsNotThereIsAnError) {
  EXPECT_THROW((void)run_child({"/no/such/program"}, Seconds(1)), Error);
}

}  // namespace
}  // namespace assay
