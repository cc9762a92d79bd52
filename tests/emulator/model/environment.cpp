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

/// Start time of this process: a number that a later process of the same id does not have.
std::string start_time() {
  std::ifstream file("/proc/self/stat");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  auto at = text.rfind(')');
  for (int field = 2; field < 22 && at != std::string::npos; ++field) at = text.find(' ', at + 1);
  return at == std::string::npos ? "0" : text.substr(at + 1, text.find(' ', at + 1) - at - 1);
}

/// A directory; the one that made it for itself removes it.
class StateDirectory {
 public:
  StateDirectory() {
    path_ = environment("ASSAY_EMULATOR_STATE");
    std::error_code error;
    if (path_.empty()) {
      path_ = fmt::format("/tmp/assay-emulator.{}.{}", ::getpid(), start_time());
      if (fs::create_directory(path_, error)) owner_ = ::getpid();
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
