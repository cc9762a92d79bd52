#pragma once

#include <string>
#include <vector>

#include "launcher/launch/network.hpp"
#include "launcher/launch/process.hpp"

namespace assay {

/// The same files are asked for on every host.
struct Programs {
  std::string assay;
  std::string mpirun;  ///< empty when Open MPI's own launcher is not used
};

/// What a host says about itself.
struct HostFacts {
  std::string host_name;  ///< its own, as `uname -n` has it
  int cpus = 0;           ///< that the login may use
  std::string assay;      ///< first line of `assay --version`; empty when there is no such executable
  std::string mpi;        ///< first line of `mpirun --version`; empty when it or its orted is missing
  bool has_ip = true;     ///< the tool that lists interfaces is there
  Interfaces interfaces;  ///< without loopback
  bool complete = false;  ///< the check ran to its end
};

/// One line for a POSIX shell that prints the facts.
[[nodiscard]] std::string check_script(const Programs& programs);

/// The facts in what the script printed; other lines, such as a login banner, are passed over.
[[nodiscard]] HostFacts parse_facts(const std::string& output);

/// One sentence for why no facts came back from `host`; empty when they did.
[[nodiscard]] std::string reach_problem(const std::string& host, const std::string& agent, Seconds timeout,
                                        const ProcessResult& result, const HostFacts& facts);

/// One sentence for each thing on `host` that differs from `here` or is missing.
[[nodiscard]] std::vector<std::string> host_problems(const std::string& host, const Programs& programs,
                                                     const HostFacts& facts, const HostFacts& here);

}  // namespace assay
