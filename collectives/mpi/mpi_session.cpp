#include "collectives/mpi/mpi_session.hpp"

#include <dlfcn.h>
#include <fmt/core.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <exception>
#include <string_view>

#include "collectives/mpi/mpi_group.hpp"

namespace assay {

namespace {

void initialize() {
  int provided = MPI_THREAD_SINGLE;
  mpi::check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided), "MPI_Init_thread");
  if (provided < MPI_THREAD_FUNNELED) {
    throw environment_error("this MPI library does not support MPI_THREAD_FUNNELED",
                            "use an MPI library built with thread support");
  }
  mpi::check(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
}

void refuse_lonely_ranks(int size) {
  const int launched = launched_processes();
  if (size > 1 || launched <= 1) return;
  MPI_Finalize();
  throw environment_error(
      fmt::format("the launcher started {} processes, but MPI joined none of them to this one", launched),
      "start assay with the mpirun of the MPI library that it was built with, or srun with the matching --mpi");
}

}  // namespace

int launched_processes() {
  // Open MPI, MPICH and Intel MPI (PMI), MVAPICH, srun.
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS"}) {
    const char* value = std::getenv(name);
    if (value == nullptr) continue;
    const std::string_view text(value);
    int count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (error == std::errc{} && end == text.data() + text.size() && count > 0) return count;
  }
  return 0;
}

MpiSession::MpiSession() : exceptions_at_start_(std::uncaught_exceptions()) {
  initialize();
  int size = 0;
  mpi::check(MPI_Comm_size(MPI_COMM_WORLD, &size), "MPI_Comm_size");
  refuse_lonely_ranks(size);
  world_ = std::make_unique<MpiGroup>(mpi::Communicator::duplicate(MPI_COMM_WORLD));
}

MpiSession::~MpiSession() {
  const bool others_may_wait = std::uncaught_exceptions() > exceptions_at_start_ && world_->size() > 1;
  if (others_may_wait) abort(ExitCode::environment);
  world_.reset();
  MPI_Finalize();
}

std::string MpiSession::library_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  mpi::check(MPI_Get_library_version(text.data(), &length), "MPI_Get_library_version");
  const std::string_view words(text.data(), static_cast<std::size_t>(length));
  return std::string(words.substr(0, words.find_first_of(std::string_view("\n\0", 2))));
}

bool MpiSession::takes_device_memory() {
  // A function of Open MPI and MPICH that not every mpi.h declares; other libraries have a switch in the environment.
  if (void* found = dlsym(RTLD_DEFAULT, "MPIX_Query_cuda_support")) return reinterpret_cast<int (*)()>(found)() != 0;
  for (const char* name : {"MPICH_GPU_SUPPORT_ENABLED", "MV2_USE_CUDA"}) {
    const char* value = std::getenv(name);
    if (value != nullptr && std::string_view(value) == "1") return true;
  }
  return false;
}

void MpiSession::abort(ExitCode code) { MPI_Abort(MPI_COMM_WORLD, static_cast<int>(code)); }

}  // namespace assay
