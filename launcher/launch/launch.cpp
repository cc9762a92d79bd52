#include "launcher/launch/launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>

#include "core/error.hpp"
#include "launcher/launch/host_check.hpp"
#include "launcher/launch/hosts_file.hpp"
#include "launcher/launch/start_command.hpp"

namespace assay {

namespace {

struct CheckedHost {
  HostShare share;
  HostFacts facts;
};

std::string required_program(const std::string& name, const std::string& hint) {
  const auto path = find_program(name);
  if (!path) throw environment_error(fmt::format("no program '{}' in PATH", name), hint);
  return *path;
}

std::vector<HostEntry> slurm_hosts(Seconds timeout) {
  const char* job = std::getenv("SLURM_JOB_ID");
  const char* nodes = std::getenv("SLURM_JOB_NODELIST");
  if (job == nullptr || nodes == nullptr)
    throw bad_input("--slurm, but this is no Slurm job (SLURM_JOB_ID and SLURM_JOB_NODELIST are not set)",
                    "start it inside salloc or sbatch, or give --hosts FILE");
  const ProcessResult result = run_process({"scontrol", "show", "hostnames", nodes}, timeout);
  if (result.exit_code != 0)
    throw environment_error(
        fmt::format("scontrol show hostnames {}: exit code {}, {}", nodes, result.exit_code, result.errors));
  return parse_hosts(result.output, "scontrol show hostnames");
}

int ranks_on(const HostEntry& host, int asked) {
  if (host.slots > 0 && asked > host.slots)
    throw bad_input(
        fmt::format("{}: slots={} in the hosts file, fewer than --ranks-per-node {}", host.name, host.slots, asked));
  return asked > 0 ? asked : std::max(1, host.slots);
}

std::vector<CheckedHost> wanted_hosts(const LaunchOptions& options) {
  std::vector<CheckedHost> hosts;
  for (const HostEntry& host : options.slurm ? slurm_hosts(options.timeout) : read_hosts_file(options.hosts_file))
    hosts.push_back({{host.name, ranks_on(host, options.ranks_per_node)}, {}});
  return hosts;
}

Programs programs_here(const LaunchOptions& options) {
  Programs programs;
  programs.assay = std::filesystem::read_symlink("/proc/self/exe").string();
  if (options.slurm)
    required_program("srun", "Slurm's programs have to be in PATH");
  else
    programs.mpirun = required_program("mpirun", "install Open MPI or load its environment module");
  return programs;
}

HostFacts facts_here(const Programs& programs, Seconds timeout) {
  const ProcessResult result = run_process({"sh", "-c", check_script(programs)}, timeout);
  HostFacts here = parse_facts(result.output);
  if (!here.complete) throw environment_error("the check of this machine did not end: " + result.errors);
  if (!programs.mpirun.empty() && here.mpi.find("Open MPI") == std::string::npos &&
      here.mpi.find("OpenRTE") == std::string::npos)
    throw environment_error(fmt::format("{} says '{}', which is not Open MPI", programs.mpirun, here.mpi),
                            "put Open MPI's mpirun first in PATH, or start `assay run` by your own launcher");
  return here;
}

/// Asks every host and returns the sentences about what is wrong.
std::vector<std::string> check_hosts(const LaunchOptions& options, const Programs& programs, const HostFacts& here,
                                     std::vector<CheckedHost>& hosts) {
  const std::string script = check_script(programs);
  const std::string agent = options.slurm ? "srun" : options.agent;
  std::vector<Arguments> calls;
  for (const CheckedHost& host : hosts)
    calls.push_back(options.slurm ? srun_call(host.share.name, script)
                                  : agent_call(options.agent, host.share.name, script, options.timeout));
  const auto results = run_processes(calls, options.timeout);
  std::vector<std::string> problems;
  std::map<std::string, std::string> name_of;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    const std::string& name = hosts[i].share.name;
    hosts[i].facts = parse_facts(results[i].output);
    const std::string unreached = reach_problem(name, agent, options.timeout, results[i], hosts[i].facts);
    if (!unreached.empty()) {
      problems.push_back(unreached);
      continue;
    }
    const auto found = host_problems(name, programs, hosts[i].facts, here);
    problems.insert(problems.end(), found.begin(), found.end());
    const auto [same, added] = name_of.emplace(hosts[i].facts.host_name, name);
    if (!added) problems.push_back(fmt::format("{}: is the same machine as {} ({})", name, same->second, same->first));
    if (options.bind_to != "none" && hosts[i].share.ranks > hosts[i].facts.cpus)
      problems.push_back(fmt::format("{}: {} ranks for {} CPUs cannot be bound: ask for fewer, or --bind-to none", name,
                                     hosts[i].share.ranks, hosts[i].facts.cpus));
  }
  return problems;
}

void require_none(const std::vector<std::string>& problems, std::size_t hosts) {
  if (problems.empty()) return;
  std::fflush(stdout);
  for (const std::string& problem : problems) fmt::print(stderr, "{}\n", problem);
  throw environment_error(fmt::format("{} problem{} on {} hosts, nothing was started", problems.size(),
                                      problems.size() == 1 ? "" : "s", hosts),
                          "mend them, or leave these hosts out of the list");
}

std::string short_version(const std::string& line) {
  // "assay 0.1.0 (git abc)" and "mpirun (Open MPI) 4.1.4": the word that starts with a digit.
  std::istringstream words(line);
  for (std::string word; words >> word;)
    if (word.front() >= '0' && word.front() <= '9') return word;
  return line;
}

void print_table(const std::vector<CheckedHost>& hosts) {
  std::size_t width = 4;
  for (const CheckedHost& host : hosts) width = std::max(width, host.share.name.size());
  fmt::print("{:<{}}  {:>5}  {:>5}  {:<9}  {:<9}  {}\n", "host", width, "ranks", "CPUs", "assay", "Open MPI",
             "interfaces");
  for (const CheckedHost& host : hosts) {
    std::string interfaces;
    for (const Interface& interface : host.facts.interfaces)
      interfaces += fmt::format("{}{}", interfaces.empty() ? "" : ", ", to_string(interface));
    fmt::print("{:<{}}  {:>5}  {:>5}  {:<9}  {:<9}  {}\n", host.share.name, width, host.share.ranks, host.facts.cpus,
               short_version(host.facts.assay), host.facts.mpi.empty() ? "-" : short_version(host.facts.mpi),
               interfaces);
  }
}

/// The common subnets that --interface names, all of them when it is not given.
std::vector<Subnet> chosen_subnets(const LaunchOptions& options, const std::vector<Interfaces>& hosts) {
  const std::vector<Subnet> common = common_subnets(hosts);
  if (common.empty())
    throw environment_error("the hosts have no IPv4 subnet in common, so MPI cannot connect them (see the table)",
                            "bring the interfaces up, or leave the hosts without them out of the list");
  if (options.interfaces.empty()) return common;
  std::vector<Subnet> chosen;
  for (const std::string& wanted : options.interfaces) {
    const auto found = std::find_if(common.begin(), common.end(), [&](const Subnet& subnet) {
      return std::any_of(hosts.begin(), hosts.end(),
                         [&](const Interfaces& host) { return names_subnet(wanted, subnet, host); });
    });
    if (found == common.end())
      throw environment_error(
          fmt::format("--interface {}: no subnet that all hosts have in common", wanted),
          "the table shows every host's interfaces; name one of them, or a subnet such as 10.0.0.0/24");
    chosen.push_back(*found);
  }
  return chosen;
}

/// Subnets in which mpirun, which runs here, reaches its daemons.
std::vector<Subnet> control_subnets(const std::vector<Subnet>& data, const Interfaces& here) {
  std::vector<Subnet> control;
  for (const Subnet& subnet : data)
    if (std::any_of(here.begin(), here.end(), [&](const Interface& own) { return own.subnet() == subnet; }))
      control.push_back(subnet);
  if (control.empty())
    throw environment_error("this machine has no address in the subnets that the hosts have in common",
                            "start `assay launch` on one of the hosts, or give other interfaces by --interface");
  return control;
}

}  // namespace

Arguments prepare_launch(const LaunchOptions& options) {
  std::vector<CheckedHost> hosts = wanted_hosts(options);
  const Programs programs = programs_here(options);
  const HostFacts here = facts_here(programs, options.timeout);
  require_none(check_hosts(options, programs, here, hosts), hosts.size());
  print_table(hosts);

  StartPlan plan{programs.assay, options.run_options, {}, {}, options.bind_to};
  std::vector<Interfaces> interfaces;
  for (const CheckedHost& host : hosts) {
    plan.hosts.push_back(host.share);
    interfaces.push_back(host.facts.interfaces);
  }
  if (hosts.size() > 1 || !options.interfaces.empty()) {
    plan.data = chosen_subnets(options, interfaces);
    std::string names;
    for (const Subnet& subnet : plan.data) names += fmt::format(" {}", to_string(subnet));
    fmt::print("subnets used:{}\n", names);
  }
  if (options.slurm) return srun_command(plan, options.mpi);
  const auto control = plan.data.empty() ? plan.data : control_subnets(plan.data, here.interfaces);
  return mpirun_command(plan, {programs.mpirun, options.agent, control});
}

}  // namespace assay
