#pragma once

#include <memory>
#include <string>

#include "core/error.hpp"
#include "core/group.hpp"

namespace assay {

/// MPI from start to end. One per process, made on the main thread before any other use of MPI; works without a
/// launcher too, as a world of one rank.
class MpiSession {
 public:
  /// Throws Error(environment) when the library lacks MPI_THREAD_FUNNELED, or when a launcher started several
  /// processes and each of them is alone (built with another MPI than the launcher's).
  MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;
  /// Finalizes. While an exception unwinds, ends the job instead (exit code environment): the other ranks would wait
  /// for this one in MPI_Finalize for ever.
  ~MpiSession();

  /// All ranks.
  [[nodiscard]] Group& world() { return *world_; }

  /// May be asked without a session. The library's own words, first line: "Open MPI v4.1.4, package: ...".
  [[nodiscard]] static std::string library_version();

  /// What the library says about pointers to GPU memory ("CUDA-aware"); false when it says nothing.
  [[nodiscard]] static bool takes_device_memory();

  /// Ends all ranks; the process exits with `code` as far as MPI can arrange it.
  void abort(ExitCode code);

 private:
  int exceptions_at_start_;
  std::unique_ptr<Group> world_;
};

/// Processes that a launcher (mpirun, mpiexec, srun) says it started, by its environment variables; 0 without one.
[[nodiscard]] int launched_processes();

}  // namespace assay
