#pragma once

#include <string>
#include <vector>

#include "launcher/launch/network.hpp"
#include "launcher/launch/process.hpp"

namespace assay {

struct HostShare {
  std::string name;
  int ranks = 1;
};

/// All that a start command is made of.
struct StartPlan {
  std::string assay;                     ///< path of the binary, the same on every host
  std::vector<std::string> run_options;  ///< for `assay run`
  std::vector<HostShare> hosts;
  std::vector<Subnet> data;  ///< subnets for MPI's TCP traffic; empty = Open MPI's own choice
  std::string bind_to;       ///< core, socket, numa, none
};

/// How Open MPI's own launcher reaches the hosts.
struct AgentStart {
  std::string mpirun;
  std::string agent;            ///< "ssh", or a program with options that is called like it
  std::vector<Subnet> control;  ///< subnets between mpirun and its daemons; empty = Open MPI's own choice
};

[[nodiscard]] Arguments mpirun_command(const StartPlan& plan, const AgentStart& start);

/// For use within a Slurm allocation. `mpi` is Slurm's plug-in, such as "pmix".
[[nodiscard]] Arguments srun_command(const StartPlan& plan, const std::string& mpi);

/// How to run `script` on `host` for a check: through an agent called like ssh, or through srun in an allocation.
[[nodiscard]] Arguments agent_call(const std::string& agent, const std::string& host, const std::string& script,
                                   Seconds timeout);
[[nodiscard]] Arguments srun_call(const std::string& host, const std::string& script);

}  // namespace assay
