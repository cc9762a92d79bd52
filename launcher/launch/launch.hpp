#pragma once

#include <string>
#include <vector>

#include "core/units.hpp"
#include "launcher/launch/process.hpp"

namespace assay {

struct LaunchOptions {
  std::string hosts_file;  ///< empty with `slurm`
  bool slurm = false;      ///< the hosts of the allocation that we are in
  int ranks_per_node = 0;  ///< 0 = what the hosts file allows, else 1
  std::string agent = "ssh";
  std::vector<std::string> interfaces;  ///< names or subnets to use; empty = all common ones
  std::string bind_to = "core";
  std::string mpi = "pmix";  ///< Slurm's plug-in
  Seconds timeout{10};       ///< for the check of one host
  std::vector<std::string> run_options;
};

/// Checks every host, prints what was found as a table, and returns the command that starts the run. Throws
/// Error(bad_input) for the hosts file and the options, Error(environment) after one printed sentence for each problem.
[[nodiscard]] Arguments prepare_launch(const LaunchOptions& options);

}  // namespace assay
