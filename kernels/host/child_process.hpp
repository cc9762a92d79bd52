#pragma once

#include <string>
#include <vector>

#include "core/units.hpp"

namespace assay {

/// How a child process ended and what it wrote to its standard output (at most 64 KiB of it).
struct ChildResult {
  bool timed_out = false;  ///< it was killed, with its process group
  int signal = 0;          ///< that ended it; 0 when it ended by itself
  int exit_code = 0;
  std::string output;
};

/// Runs a program in a process group of its own until it ends or `limit` is over; its standard input and error are
/// /dev/null. It gets this process's environment without what tells a process that it is a rank of an MPI or Slurm job.
/// Throws Error(environment) when it cannot be started.
[[nodiscard]] ChildResult run_child(const std::vector<std::string>& command, Seconds limit);

}  // namespace assay
