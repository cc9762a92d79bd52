#include "launcher/launch/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <thread>
#include <utility>

#include "core/clock.hpp"
#include "core/error.hpp"

namespace assay {

namespace {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }

  [[nodiscard]] int number() const { return number_; }
  void close() {
    if (number_ >= 0) ::close(std::exchange(number_, -1));
  }

 private:
  int number_ = -1;
};

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0)
      throw environment_error(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
    read = Descriptor(ends[0]);
    write = Descriptor(ends[1]);
    fcntl(read.number(), F_SETFL, O_NONBLOCK);
  }

  /// Appends what is there now.
  void drain(std::string& text) const {
    std::array<char, 4096> buffer{};
    ssize_t got = 0;
    while ((got = ::read(read.number(), buffer.data(), buffer.size())) > 0)
      text.append(buffer.data(), static_cast<std::size_t>(got));
  }

  Descriptor read;
  Descriptor write;
};

/// What posix_spawn needs: both pipes as output, no input, and a process group of its own, so that a timeout reaches
/// everything that the program started.
class SpawnPlan {
 public:
  SpawnPlan(const Pipe& output, const Pipe& errors) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, output.write.number(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, errors.write.number(), STDERR_FILENO);
    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes_, 0);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }

  /// 0 or an error number.
  int start(const Arguments& arguments, pid_t& child);

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

std::vector<char*> argument_pointers(const Arguments& arguments) {
  std::vector<char*> pointers;
  for (const std::string& argument : arguments) pointers.push_back(const_cast<char*>(argument.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

int SpawnPlan::start(const Arguments& arguments, pid_t& child) {
  return posix_spawnp(&child, arguments[0].c_str(), &actions_, &attributes_, argument_pointers(arguments).data(),
                      environ);
}

int exit_code_of(int status) { return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status); }

/// Waits for the end of the child, not of its output: a background helper of ssh may keep that open.
void collect(pid_t child, const Pipe& output, const Pipe& errors, const Deadline& deadline, ProcessResult& result) {
  constexpr int milliseconds_between_looks = 10;
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (deadline.expired()) {
      result.timed_out = true;
      kill(-child, SIGKILL);
      waitpid(child, &status, 0);
      break;
    }
    std::array<pollfd, 2> watched{pollfd{output.read.number(), POLLIN, 0}, pollfd{errors.read.number(), POLLIN, 0}};
    const bool ended = poll(watched.data(), watched.size(), milliseconds_between_looks) > 0 &&
                       ((watched[0].revents | watched[1].revents) & POLLIN) == 0;
    if (ended) std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds_between_looks));
    output.drain(result.output);
    errors.drain(result.errors);
  }
  output.drain(result.output);
  errors.drain(result.errors);
  result.exit_code = exit_code_of(status);
}

bool needs_no_quotes(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("-_./:,=@%+").find(c) != std::string_view::npos;
}

}  // namespace

ProcessResult run_process(const Arguments& arguments, Seconds timeout) {
  const MonotonicClock clock;
  const Deadline deadline(clock, timeout);
  Pipe output;
  Pipe errors;
  ProcessResult result;
  pid_t child = 0;
  const int error = SpawnPlan(output, errors).start(arguments, child);
  if (error != 0) {
    result.exit_code = 127;
    result.errors = fmt::format("{}: {}", arguments[0], std::strerror(error));
    return result;
  }
  output.write.close();
  errors.write.close();
  collect(child, output, errors, deadline, result);
  return result;
}

std::vector<ProcessResult> run_processes(const std::vector<Arguments>& commands, Seconds timeout) {
  constexpr std::size_t at_once = 64;
  std::vector<ProcessResult> results(commands.size());
  std::atomic<std::size_t> next = 0;
  std::vector<std::jthread> workers;
  for (std::size_t worker = 0; worker < std::min(at_once, commands.size()); ++worker) {
    workers.emplace_back([&] {
      for (std::size_t i = next++; i < commands.size(); i = next++) {
        try {
          results[i] = run_process(commands[i], timeout);
        } catch (const Error& error) {
          results[i].exit_code = 127;
          results[i].errors = error.what();
        }
      }
    });
  }
  workers.clear();
  return results;
}

void become(const Arguments& arguments) {
  execvp(arguments[0].c_str(), argument_pointers(arguments).data());
  throw system_error(ExitCode::environment, "cannot start it", arguments[0], errno);
}

std::optional<std::string> find_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const std::string_view directory = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(directory.size() + 1, rest.size()));
    const std::filesystem::path candidate = std::filesystem::path(directory) / name;
    if (candidate.is_absolute() && access(candidate.c_str(), X_OK) == 0) return candidate.string();
  }
  return std::nullopt;
}

std::string shell_word(std::string_view text) {
  if (!text.empty() && std::all_of(text.begin(), text.end(), needs_no_quotes)) return std::string(text);
  std::string word = "'";
  for (const char c : text) {
    if (c == '\'')
      word += "'\\''";
    else
      word += c;
  }
  return word + "'";
}

std::string shell_line(const Arguments& arguments) {
  std::string line;
  for (const std::string& argument : arguments) {
    if (!line.empty()) line += ' ';
    line += shell_word(argument);
  }
  return line;
}

}  // namespace assay
