#include "tests/emulator/model/environment.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <system_error>

namespace emulator {
namespace {

namespace fs = std::filesystem;

/// Start time of a process: a number that a later process of the same id does not have. Empty when there is none.
std::string start_time(const std::string& process) {
  std::ifstream file("/proc/" + process + "/stat");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  auto at = text.rfind(')');
  for (int field = 2; field < 22 && at != std::string::npos; ++field) at = text.find(' ', at + 1);
  return at == std::string::npos ? "" : text.substr(at + 1, text.find(' ', at + 1) - at - 1);
}

const std::string private_prefix = "assay-emulator.";

/// Directories of processes that were killed before they could remove them.
void sweep() {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/tmp", error)) {
    const auto name = entry.path().filename().string();
    const auto point = name.rfind('.');
    if (!name.starts_with(private_prefix) || point <= private_prefix.size()) continue;
    const auto process = name.substr(private_prefix.size(), point - private_prefix.size());
    if (start_time(process) != name.substr(point + 1)) fs::remove_all(entry.path(), error);
  }
}

/// A directory; the one that made it for itself removes it.
class StateDirectory {
 public:
  StateDirectory() {
    path_ = environment("ASSAY_EMULATOR_STATE");
    std::error_code error;
    if (path_.empty()) {
      path_ = fmt::format("/tmp/{}{}.{}", private_prefix, ::getpid(), start_time("self"));
      if (fs::create_directory(path_, error)) {
        owner_ = ::getpid();
        sweep();
      }
    }
    if (!fs::is_directory(path_, error)) give_up(fmt::format("no state directory '{}'", path_.string()));
  }
  ~StateDirectory() {
    std::error_code error;
    if (owner_ == ::getpid()) fs::remove_all(path_, error);
  }
  StateDirectory(const StateDirectory&) = delete;
  StateDirectory& operator=(const StateDirectory&) = delete;

  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
  pid_t owner_ = -1;
};

}  // namespace

void give_up(const std::string& why) {
  fmt::print(stderr, "emulator: {}\n", why);
  std::fflush(stderr);
  std::_Exit(99);
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

const fs::path& state_directory() {
  static const StateDirectory directory;
  return directory.path();
}

}  // namespace emulator
