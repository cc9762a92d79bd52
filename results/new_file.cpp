#include "results/new_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>

#include "core/error.hpp"

namespace assay::results {
namespace {

constexpr mode_t new_file_mode = 0666;  // less the umask

class Descriptor {
 public:
  Descriptor(const std::filesystem::path& path, int flags) : number_(::open(path.c_str(), flags, new_file_mode)) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  [[nodiscard]] int get() const { return number_; }

 private:
  int number_;
};

/// "No space left" is the machine's fault, everything else the path's.
void create_exclusively(const std::filesystem::path& path, const std::filesystem::path& target) {
  const Descriptor file(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC);
  if (file.get() >= 0) return;
  if (errno == EEXIST) throw bad_input(path.string() + ": already exists", "choose another --out, or add --force");
  const bool full = errno == ENOSPC || errno == EDQUOT;
  throw system_error(full ? ExitCode::environment : ExitCode::bad_input, "cannot create the file", target.string(),
                     errno, "choose a place with --out that can be written");
}

}  // namespace

NewFile::NewFile(std::filesystem::path target, const std::string& unique)
    : target_(std::move(target)),
      path_(target_.parent_path() / fmt::format(".{}.{}.part", target_.filename().string(), unique)) {
  create_exclusively(path_, target_);
}

NewFile::~NewFile() {
  if (!path_.empty()) ::unlink(path_.c_str());
}

void NewFile::replace_target() {
  if (std::rename(path_.c_str(), target_.c_str()) != 0) {
    throw system_error(ExitCode::environment, "cannot put the file in place", target_.string(), errno);
  }
  path_.clear();
}

void NewFile::become_target() {
  // Holding the name with an empty file works on file systems without hard links and RENAME_NOREPLACE, too.
  create_exclusively(target_, target_);
  try {
    replace_target();
  } catch (const Error&) {
    ::unlink(target_.c_str());
    throw;
  }
}

void check_target(const std::filesystem::path& target, bool overwrite) {
  if (target.filename().empty()) throw bad_input("\"" + target.string() + "\": names no file", "name one with --out");
  std::error_code ignored;
  const auto status = std::filesystem::symlink_status(target, ignored);
  if (!std::filesystem::exists(status)) return;
  if (std::filesystem::is_directory(status)) {
    throw bad_input(target.string() + ": is a directory", "name a file in it with --out");
  }
  if (!overwrite) throw bad_input(target.string() + ": already exists", "choose another --out, or add --force");
  if (!std::filesystem::is_regular_file(status)) {
    throw bad_input(target.string() + ": exists and is not a regular file", "choose another --out");
  }
}

void synchronize(const std::filesystem::path& path) {
  const Descriptor file(path, O_RDONLY | O_CLOEXEC);
  if (file.get() < 0 || ::fsync(file.get()) != 0) {
    throw system_error(ExitCode::environment, "cannot bring the file to the disk", path.string(), errno);
  }
}

}  // namespace assay::results
