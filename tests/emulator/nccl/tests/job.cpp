#include "tests/emulator/nccl/tests/job.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>
#include <stdexcept>

#include "tests/temporary_directory.hpp"

namespace emulator::nccl::tests {
namespace {

namespace fs = std::filesystem;

using Directory = assay::test::TemporaryDirectory;

std::string content(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

void become_rank(const Job& job, const fs::path& state, int rank) {
  const auto set = [](const char* name, const std::string& value) { ::setenv(name, value.c_str(), 1); };
  set("ASSAY_EMULATOR_CLUSTER", std::string(EMULATOR_CLUSTERS) + "/" + job.cluster);
  set("ASSAY_EMULATOR_STATE", state.string());
  set("ASSAY_EMULATOR_NODE", std::to_string(rank / job.per_node));
  set("LD_LIBRARY_PATH", EMULATOR_LIBRARIES);
  if (!job.faults.empty()) set("ASSAY_EMULATOR_FAULTS", (state / "faults.toml").string());
  for (const auto& [name, value] : job.environment) set(name.c_str(), value);
  const auto redirect = [&](const char* kind, int target) {
    const auto file = state / (std::string(kind) + std::to_string(rank));
    ::dup2(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), target);
  };
  redirect("out", STDOUT_FILENO);
  redirect("err", STDERR_FILENO);
  std::vector<std::string> words{EMULATOR_NCCL_RANK, job.scenario, std::to_string(rank), std::to_string(job.ranks),
                                 std::to_string(job.same_gpu ? 0 : rank % job.per_node)};
  words.insert(words.end(), job.words.begin(), job.words.end());
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::alarm(120);  // no rank outlives a broken test
  ::execv(arguments[0], arguments.data());
  ::_exit(127);
}

void read_lines(const fs::path& path, Outcome& outcome) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    int rank = 0;
    std::string name;
    if (words >> rank >> name && line.find(':') != line.find_first_of(": ")) {
      std::string rest;
      std::getline(words >> std::ws, rest);
      outcome.said[{rank, name}] = rest;
    } else {
      outcome.lines += line + "\n";
    }
  }
}

}  // namespace

bool Outcome::sound() const {
  for (std::size_t rank = 0; rank < exit_codes.size(); ++rank) {
    if (exit_codes[rank] != 0 || text(static_cast<int>(rank), "end") != "ok") return false;
  }
  return !exit_codes.empty();
}

double Outcome::number(int rank, const std::string& name) const {
  const auto found = said.find({rank, name});
  return found == said.end() ? std::numeric_limits<double>::quiet_NaN() : std::stod(found->second);
}

std::string Outcome::text(int rank, const std::string& name) const {
  const auto found = said.find({rank, name});
  return found == said.end() ? "" : found->second;
}

Outcome Job::run() const {
  const Directory state;
  if (!faults.empty()) std::ofstream(state.path() / "faults.toml") << faults;
  const auto begin = std::chrono::steady_clock::now();
  std::vector<pid_t> processes;
  for (int rank = 0; rank < ranks; ++rank) {
    const pid_t process = ::fork();
    if (process == 0) become_rank(*this, state.path(), rank);
    processes.push_back(process);
  }
  Outcome outcome;
  for (const pid_t process : processes) {
    int status = 0;
    ::waitpid(process, &status, 0);
    outcome.exit_codes.push_back(WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status));
  }
  outcome.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  for (int rank = 0; rank < ranks; ++rank) {
    read_lines(state.path() / ("out" + std::to_string(rank)), outcome);
    outcome.errors += content(state.path() / ("err" + std::to_string(rank)));
  }
  return outcome;
}

}  // namespace emulator::nccl::tests
