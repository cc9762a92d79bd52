// Every registered case, as a whole: described, makes, runs, verifies, and its verify() notices planted corruption.
// Runs under mpirun with any number of ranks; a new case is covered without a change here.

#include <optional>
#include <string>

#include "collectives/mpi/mpi_session.hpp"
#include "tests/launcher/case_trial.hpp"
#include "tests/temporary_directory.hpp"

int main() {
  using namespace assay;
  MpiSession mpi;
  std::optional<test::TemporaryDirectory> directory;
  if (mpi.world().rank() == 0) directory.emplace();
  const std::string path = broadcast_text(mpi.world(), directory ? directory->path().string() : "");
  const std::vector<int> cpus = testing::usable_cpus();
  const Layout layout = Layout::single_node(mpi.world().size(), static_cast<int>(cpus.size()));
  BufferPool buffers;
  return testing::check_all_cases({mpi.world(), layout, buffers, path, cpus}, builtin_cases(), Suite::quick) > 0 ? 1
                                                                                                                 : 0;
}
