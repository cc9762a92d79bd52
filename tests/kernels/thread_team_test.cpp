#include "kernels/host/thread_team.hpp"

#include <gmock/gmock.h>

#include <atomic>
#include <set>
#include <stdexcept>

#include "core/error.hpp"
#include "tests/kernels/fixtures.hpp"

namespace assay {
namespace {

using testing::allowed_cpus;
using ::testing::ElementsAre;

TEST(ThreadTeam, RunsEachMemberOnItsOwnCpuOnly) {
  const std::vector<int> cpus = allowed_cpus();
  ThreadTeam team(cpus);
  ASSERT_EQ(team.size(), cpus.size());
  std::vector<std::vector<int>> seen(cpus.size());
  team.run([&](std::size_t index) { seen[index] = allowed_cpus(); });
  for (std::size_t i = 0; i < cpus.size(); ++i) EXPECT_THAT(seen[i], ElementsAre(cpus[i]));
}

TEST(ThreadTeam, OneCpuRunsInLinePinned) {
  const int last = allowed_cpus().back();
  ThreadTeam team({last});
  std::thread::id id;
  team.run([&](std::size_t index) {
    EXPECT_EQ(index, 0U);
    id = std::this_thread::get_id();
    EXPECT_THAT(allowed_cpus(), ElementsAre(last));
  });
  EXPECT_EQ(id, std::this_thread::get_id());
}

TEST(ThreadTeam, GivesTheCallerItsCpusBack) {
  const std::vector<int> before = allowed_cpus();
  { const ThreadTeam team(std::vector<int>{before.back()}); }
  EXPECT_EQ(allowed_cpus(), before);
}

TEST(ThreadTeam, GivesTheCallerItsCpusBackWhenACpuIsRefused) {
  const std::vector<int> before = allowed_cpus();
  EXPECT_THROW(ThreadTeam({before.front(), 8191}), Error);
  EXPECT_EQ(allowed_cpus(), before);
}

TEST(ThreadTeam, RefusesNoCpusAndImpossibleOnes) {
  EXPECT_THROW(ThreadTeam(std::vector<int>{}), Error);
  EXPECT_THROW(ThreadTeam({-1}), Error);
  EXPECT_THROW(ThreadTeam({1 << 20}), Error);
}

TEST(ThreadTeam, RunWaitsForEveryMemberEveryTime) {
  const int cpu = allowed_cpus().front();
  ThreadTeam team({cpu, cpu, cpu, cpu});
  std::atomic<int> calls = 0;
  for (int round = 1; round <= 500; ++round) {
    team.run([&](std::size_t) { ++calls; });
    ASSERT_EQ(calls, 4 * round);
  }
}

TEST(ThreadTeam, CarriesAnExceptionOfAnyMemberAndGoesOn) {
  const int cpu = allowed_cpus().front();
  ThreadTeam team({cpu, cpu, cpu});
  for (std::size_t faulty = 0; faulty < 3; ++faulty) {
    std::atomic<int> calls = 0;
    const auto body = [&](std::size_t index) {
      ++calls;
      if (index == faulty) throw std::runtime_error("planted");
    };
    EXPECT_THROW(team.run(body), std::runtime_error);
    EXPECT_EQ(calls, 3);
  }
  EXPECT_NO_THROW(team.run([](std::size_t) {}));
}

}  // namespace
}  // namespace assay
