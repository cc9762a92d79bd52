#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "collectives/mpi/mpi_group.hpp"
#include "tests/collectives/mpi_ranks.hpp"

namespace assay {
namespace {

TEST(SessionTest, KnowsLibraryAndLauncher) {
  const std::string version = session().library_version();
  EXPECT_THAT(version, testing::Not(testing::AnyOf(testing::IsEmpty(), testing::HasSubstr("\n"))));
  const int launched = launched_processes();
  EXPECT_TRUE(launched == world().size() || (launched == 0 && world().size() == 1)) << launched;
}

TEST(SessionTest, MpiRunsOnTheMainThreadWithErrorsReturned) {
  int level = MPI_THREAD_SINGLE;
  int main_thread = 0;
  mpi::check(MPI_Query_thread(&level), "MPI_Query_thread");
  mpi::check(MPI_Is_thread_main(&main_thread), "MPI_Is_thread_main");
  EXPECT_GE(level, MPI_THREAD_FUNNELED);
  EXPECT_EQ(main_thread, 1);
  EXPECT_NE(MPI_Barrier(MPI_COMM_NULL), MPI_SUCCESS);
}

}  // namespace
}  // namespace assay
