// Every registered case, as a whole: described, makes, runs, verifies, and its verify() notices planted corruption.
// Runs under mpirun with any number of ranks; a new case is covered without a change here.

#include <filesystem>
#include <string>

#include "collectives/mpi/mpi_session.hpp"
#include "tests/launcher/case_trial.hpp"

int main() {
  using namespace assay;
  MpiSession mpi;
  std::string path;
  if (mpi.world().rank() == 0) path = std::filesystem::temp_directory_path() / "assay-conformance";
  path = broadcast_text(mpi.world(), path);
  std::filesystem::create_directories(path);
  const std::vector<int> cpus = testing::usable_cpus();
  const Layout layout = Layout::single_node(mpi.world().size(), static_cast<int>(cpus.size()));
  BufferPool buffers;
  return testing::check_all_cases({mpi.world(), layout, buffers, path, cpus}, builtin_cases(), Suite::quick) > 0 ? 1
                                                                                                                 : 0;
}
