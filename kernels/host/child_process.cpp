#include "kernels/host/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>
#include <utility>

#include "core/clock.hpp"
#include "core/error.hpp"

namespace assay {
namespace {

constexpr std::size_t output_limit = 65536;

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor() { reset(); }
  void reset() {
    if (fd_ >= 0) close(std::exchange(fd_, -1));
  }
  [[nodiscard]] int get() const { return fd_; }

 private:
  int fd_;
};

class SpawnSettings {
 public:
  explicit SpawnSettings(int output) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions_, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;
  ~SpawnSettings() {
    posix_spawnattr_destroy(&attributes_);
    posix_spawn_file_actions_destroy(&actions_);
  }

  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

bool names_a_rank(std::string_view variable) {
  constexpr std::array<std::string_view, 9> prefixes = {"OMPI_",  "PMIX_",  "PMI_",      "PMI2_",   "PRTE_",
                                                        "SLURM_", "HYDRA_", "MPI_LOCAL", "MPIEXEC_"};
  for (const std::string_view prefix : prefixes) {
    if (variable.starts_with(prefix)) return true;
  }
  return false;
}

std::vector<char*> scrubbed_environment() {
  std::vector<char*> result;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (!names_a_rank(*variable)) result.push_back(*variable);
  }
  result.push_back(nullptr);
  return result;
}

pid_t start(std::vector<std::string> command, int output) {
  SpawnSettings settings(output);
  std::vector<char*> arguments;
  for (std::string& argument : command) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  std::vector<char*> environment = scrubbed_environment();
  pid_t pid = 0;
  const int failed =
      posix_spawn(&pid, arguments[0], &settings.actions_, &settings.attributes_, arguments.data(), environment.data());
  if (failed != 0) throw system_error(ExitCode::environment, "cannot start", command[0], failed);
  return pid;
}

/// Until the child closes its end. False when time is over.
bool read_all(int fd, double end_time, std::string& output) {
  std::array<char, 4096> buffer{};
  while (true) {
    const double left = end_time - monotonic_seconds();
    if (left <= 0) return false;
    pollfd waiting{fd, POLLIN, 0};
    const int ready = poll(&waiting, 1, static_cast<int>(left * 1e3) + 1);
    if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
    const ssize_t count = read(fd, buffer.data(), buffer.size());
    if (count == 0) return true;
    if (count < 0 && errno != EINTR) return true;
    if (count > 0 && output.size() < output_limit) output.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

/// A child that has closed its output is about to end, or hangs.
bool ends_before(double end_time, pid_t pid, int& status) {
  MonotonicClock clock;
  while (waitpid(pid, &status, WNOHANG) == 0) {
    if (monotonic_seconds() >= end_time) return false;
    clock.sleep(Seconds(1e-4));
  }
  return true;
}

}  // namespace

ChildResult run_child(const std::vector<std::string>& command, Seconds limit) {
  const double end_time = monotonic_seconds() + limit.value;
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw system_error(ExitCode::environment, "cannot make a pipe for", command.at(0), errno);
  }
  const FileDescriptor reading(ends[0]);
  FileDescriptor writing(ends[1]);
  const pid_t pid = start(command, writing.get());
  writing.reset();

  ChildResult result;
  const bool read_to_end = read_all(reading.get(), end_time, result.output);
  int status = 0;
  result.timed_out = !read_to_end || !ends_before(end_time, pid, status);
  if (result.timed_out) {
    kill(-pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
  }
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  return result;
}

}  // namespace assay
