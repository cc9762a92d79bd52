#include "launcher/launch/host_check.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

namespace assay {

namespace {

constexpr std::string_view mark = "assay-check ";

std::string orted_beside(const std::string& mpirun) {
  return (std::filesystem::path(mpirun).parent_path() / "orted").string();
}

void take_fact(const std::string& key, const std::string& value, HostFacts& facts) {
  if (key == "host") facts.host_name = value;
  if (key == "cpus") facts.cpus = std::atoi(value.c_str());
  if (key == "assay") facts.assay = value;
  if (key == "mpi") facts.mpi = value;
  if (key == "no-ip") facts.has_ip = false;
  if (key == "done") facts.complete = true;
  if (key == "interface") {
    const std::size_t blank = value.find(' ');
    if (blank == std::string::npos) return;
    if (const auto interface = parse_interface(value.substr(0, blank), value.substr(blank + 1)))
      facts.interfaces.push_back(*interface);
  }
}

std::string last_line(const std::string& text) {
  std::istringstream lines(text);
  std::string last;
  for (std::string line; std::getline(lines, line);) {
    line.erase(line.find_last_not_of(" \t\r") + 1);
    if (!line.empty()) last = line;
  }
  return last;
}

}  // namespace

std::string check_script(const Programs& programs) {
  std::string script = "PATH=$PATH:/usr/sbin:/sbin; say() { printf 'assay-check %s\\n' \"$*\"; }; ";
  script += "say host \"$(uname -n)\"; say cpus \"$(nproc)\"; ";
  script += fmt::format("if [ -f {0} ] && [ -x {0} ]; then say assay \"$({0} --version 2>&1 | head -n 1)\"; fi; ",
                        shell_word(programs.assay));
  if (!programs.mpirun.empty()) {
    script += fmt::format("if [ -x {0} ] && [ -x {1} ]; then say mpi \"$({0} --version 2>&1 | head -n 1)\"; fi; ",
                          shell_word(programs.mpirun), shell_word(orted_beside(programs.mpirun)));
  }
  script += "command -v ip >/dev/null || say no-ip; ip -o -4 addr show up scope global | ";
  script += "while read -r _ name _ address _; do say interface \"$name $address\"; done; say done";
  return script;
}

HostFacts parse_facts(const std::string& output) {
  HostFacts facts;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    if (line.substr(0, mark.size()) != mark) continue;
    const std::size_t blank = line.find(' ', mark.size());
    const std::string value = blank == std::string::npos ? "" : line.substr(blank + 1);
    take_fact(line.substr(mark.size(), blank - mark.size()), value, facts);
  }
  return facts;
}

std::string reach_problem(const std::string& host, const std::string& agent, Seconds timeout,
                          const ProcessResult& result, const HostFacts& facts) {
  if (result.timed_out) return fmt::format("{}: no answer through '{}' within {}", host, agent, to_string(timeout));
  if (facts.complete) return {};
  const std::string reason = last_line(result.errors);
  return fmt::format("{}: cannot be reached through '{}': exit code {}{}{}", host, agent, result.exit_code,
                     reason.empty() ? "" : ", ", reason);
}

std::vector<std::string> host_problems(const std::string& host, const Programs& programs, const HostFacts& facts,
                                       const HostFacts& here) {
  std::vector<std::string> problems;
  const auto add = [&](const std::string& problem) { problems.push_back(fmt::format("{}: {}", host, problem)); };
  if (facts.assay.empty()) {
    add(fmt::format("no executable {}: assay has to lie at the same path on every host", programs.assay));
  } else if (facts.assay != here.assay) {
    add(fmt::format("{} says '{}', here it says '{}'", programs.assay, facts.assay, here.assay));
  }
  if (!programs.mpirun.empty()) {
    if (facts.mpi.empty()) {
      add(fmt::format("no {} or no {}: Open MPI has to lie at the same path on every host", programs.mpirun,
                      orted_beside(programs.mpirun)));
    } else if (facts.mpi != here.mpi) {
      add(fmt::format("Open MPI differs: '{}', here '{}'", facts.mpi, here.mpi));
    }
  }
  if (!facts.has_ip) add("no program 'ip' (package iproute2), so its network interfaces are unknown");
  return problems;
}

}  // namespace assay
