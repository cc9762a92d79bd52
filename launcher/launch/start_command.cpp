#include "launcher/launch/start_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <sstream>

namespace assay {

namespace {

std::string joined(const std::vector<Subnet>& subnets) {
  std::string text;
  for (const Subnet& subnet : subnets) text += fmt::format("{}{}", text.empty() ? "" : ",", to_string(subnet));
  return text;
}

int total_ranks(const StartPlan& plan) {
  return std::accumulate(plan.hosts.begin(), plan.hosts.end(), 0,
                         [](int sum, const HostShare& host) { return sum + host.ranks; });
}

void append(Arguments& to, std::initializer_list<std::string> words) { to.insert(to.end(), words); }

void append_run(Arguments& to, const StartPlan& plan) {
  append(to, {plan.assay, "run"});
  to.insert(to.end(), plan.run_options.begin(), plan.run_options.end());
}

Arguments words_of(const std::string& text) {
  std::istringstream stream(text);
  Arguments words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

}  // namespace

Arguments mpirun_command(const StartPlan& plan, const AgentStart& start) {
  std::string hosts;
  for (const HostShare& host : plan.hosts)
    hosts += fmt::format("{}{}:{}", hosts.empty() ? "" : ",", host.name, host.ranks);
  Arguments command{start.mpirun, "-np", std::to_string(total_ranks(plan)), "-H", hosts};
  append(command, {"--bind-to", plan.bind_to});
  // Without "plm rsh", mpirun inside a Slurm job would start its daemons by srun and not by the agent that was checked.
  append(command, {"--mca", "plm", "rsh"});
  if (start.agent != "ssh") append(command, {"--mca", "plm_rsh_agent", start.agent});
  if (!start.control.empty()) append(command, {"--mca", "oob_tcp_if_include", joined(start.control)});
  if (!plan.data.empty()) append(command, {"--mca", "btl_tcp_if_include", joined(plan.data)});
  // A host that loses power is noticed after 5 + 3 * 1 s; by default it takes more than 300 s.
  append(command, {"--mca", "oob_tcp_keepalive_time", "5", "--mca", "oob_tcp_keepalive_intvl", "1"});
  append(command, {"--mca", "oob_tcp_keepalive_probes", "3"});
  append_run(command, plan);
  return command;
}

Arguments srun_command(const StartPlan& plan, const std::string& mpi) {
  Arguments command;
  // srun hands its environment on; its own --export would take the comma between two subnets for its own.
  if (!plan.data.empty()) append(command, {"env", "OMPI_MCA_btl_tcp_if_include=" + joined(plan.data)});
  append(command, {"srun", "--mpi=" + mpi, "--nodes=" + std::to_string(plan.hosts.size())});
  append(command, {"--ntasks=" + std::to_string(total_ranks(plan))});
  append(command, {"--ntasks-per-node=" + std::to_string(plan.hosts.empty() ? 0 : plan.hosts.front().ranks)});
  const bool units = plan.bind_to == "core" || plan.bind_to == "socket";
  append(command, {"--cpu-bind=" + (units ? plan.bind_to + "s" : plan.bind_to == "numa" ? "ldoms" : plan.bind_to)});
  // By default srun waits for ever for the others when one rank dies.
  append(command, {"--kill-on-bad-exit=1"});
  append_run(command, plan);
  return command;
}

Arguments agent_call(const std::string& agent, const std::string& host, const std::string& script, Seconds timeout) {
  Arguments call = words_of(agent);
  if (!call.empty() && std::filesystem::path(call.front()).filename() == "ssh") {
    append(call, {"-o", "BatchMode=yes"});  // a password prompt would wait unseen until the timeout
    append(call, {"-o", fmt::format("ConnectTimeout={}", std::max(1L, std::lround(timeout.value)))});
  }
  append(call, {host, "sh -c " + shell_word(script)});
  return call;
}

Arguments srun_call(const std::string& host, const std::string& script) {
  return {"srun", "--overlap", "--mpi=none", "--nodes=1", "--ntasks=1", "--nodelist=" + host, "sh", "-c", script};
}

}  // namespace assay
