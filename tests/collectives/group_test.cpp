#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <thread>

#include "collectives/mpi/mpi_group.hpp"
#include "core/clock.hpp"
#include "core/error.hpp"
#include "tests/collectives/mpi_ranks.hpp"
#include "tests/core/group_properties.hpp"

namespace assay {
namespace {

/// A sum whose last bit depends on the order of the additions is still the same everywhere.
void expect_same_bits(Group& group) {
  const double sum = sum_over(group, 0.1 + 1 / (3.0 + group.rank()));
  const auto bits = gather_values<double>(group, std::span<const double>(&sum, 1));
  for (const auto& theirs : bits) {
    ASSERT_EQ(theirs.size(), 1U);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(theirs[0]), std::bit_cast<std::uint64_t>(sum));
  }
}

double thread_cpu_seconds() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

/// Nobody leaves before the last one has come.
template <class Barrier>
void expect_barrier(Group& group, Barrier barrier) {
  for (int late = 0; late < group.size(); ++late) {
    if (group.rank() == late) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const double came = monotonic_seconds();
    barrier();
    const double left = monotonic_seconds();
    const double last_came = max_over(group, came);
    EXPECT_GE(left, last_came);
  }
}

void expect_quiet_wait(Group& group) {
  if (group.rank() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(300));
  const double before = thread_cpu_seconds();
  group.quiet_barrier();
  EXPECT_LT(thread_cpu_seconds() - before, 0.15) << "waiting ranks are to sleep";
}

/// What every kind of Group promises, and what only this one does.
void expect_promises(Group& group) {
  test::check_group(group);
  expect_same_bits(group);
  expect_barrier(group, [&] { group.barrier(); });
  expect_barrier(group, [&] { group.quiet_barrier(); });
  expect_quiet_wait(group);
}

TEST(GroupTest, KeepsThePromises) { expect_promises(world()); }

TEST(GroupTest, PartsKeepThePromises) {
  const auto part = world().split(world().rank() == 0 ? 0 : 1);
  expect_promises(*part);
}

TEST(GroupTest, LongDataTravelInSeveralMessages) {
  MpiGroup group(mpi::Communicator::duplicate(mpi::communicator(world())), 7);
  expect_promises(group);
}

TEST(GroupTest, FailedCallNamesCallReasonAndPlace) {
  std::byte data{};
  try {
    world().broadcast({&data, 1}, world().size());
    FAIL() << "a root that does not exist was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::environment);
    EXPECT_THAT(error.what(), testing::AllOf(testing::HasSubstr("MPI_Bcast failed: "),
                                             testing::HasSubstr("MPI_ERR_ROOT"), testing::HasSubstr("mpi_group.cpp:")));
    EXPECT_NE(error.hint(), "");
  }
}

TEST(GroupTest, CasesRefuseGroupsWithoutACommunicator) {
  const SoloGroup solo;
  EXPECT_THROW(static_cast<void>(mpi::communicator(solo)), Error);
}

TEST(GroupTest, CommunicatorChangesHands) {
  auto first = mpi::Communicator::duplicate(mpi::communicator(world()));
  const MPI_Comm handle = first.get();
  mpi::Communicator second(std::move(first));
  EXPECT_EQ(second.get(), handle);
  auto third = mpi::Communicator::duplicate(mpi::communicator(world()));
  third = std::move(second);
  EXPECT_EQ(third.get(), handle);
}

}  // namespace
}  // namespace assay
