#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "collectives/mpi/mpi_group.hpp"
#include "core/error.hpp"
#include "core/thread_group.hpp"
#include "tests/collectives/group_properties.hpp"
#include "tests/collectives/mpi_ranks.hpp"

namespace assay {
namespace {

TEST(GroupTest, MpiGroupKeepsThePromises) { expect_group_properties(world()); }

TEST(GroupTest, PartOfAnMpiGroupKeepsThePromises) {
  const auto part = world().split(world().rank() == 0 ? 0 : 1);
  expect_group_properties(*part);
}

TEST(GroupTest, LongDataTravelInSeveralMessages) {
  MpiGroup group(mpi::Communicator::duplicate(mpi::communicator(world())), 7);
  expect_group_properties(group);
}

TEST(GroupTest, ThreadGroupKeepsThePromises) { run_thread_group(3, expect_group_properties); }

TEST(GroupTest, SoloGroupKeepsThePromises) {
  SoloGroup group;
  expect_group_properties(group);
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
