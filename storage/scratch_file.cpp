#include "storage/scratch_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <limits.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

namespace assay {
namespace {

std::string host_name() {
  std::array<char, HOST_NAME_MAX + 1> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "this host";
  return name.data();
}

std::string free_space(const std::filesystem::path& path) {
  struct statvfs stats {};
  if (statvfs(path.parent_path().c_str(), &stats) != 0) return "free space unknown";
  return fmt::format("{} bytes free", static_cast<std::uint64_t>(stats.f_bavail) * stats.f_frsize);
}

/// Never opens a file that was there before: a taken name only leads to the next one.
int create_exclusively(std::filesystem::path& path, int extra_flags) {
  const std::string stem = path.string();
  constexpr int attempts = 16;
  for (int attempt = 0;; ++attempt) {
    const int descriptor = open(path.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC | extra_flags, 0600);
    if (descriptor >= 0 || errno != EEXIST || attempt == attempts) return descriptor;
    path = stem + fmt::format(".{}", attempt);
  }
}

bool out_of_space(int error_number) { return error_number == ENOSPC || error_number == EDQUOT; }

}  // namespace

Error storage_error(std::string_view action, const std::filesystem::path& path, int error_number) {
  std::string what = fmt::format("{} on {}", action, host_name());
  std::string hint = "look at the kernel log and the mount options of this file system";
  if (out_of_space(error_number)) {
    what += fmt::format(" ({})", free_space(path));
    hint = "free space there, or name another directory with --path";
  } else if (error_number == EACCES || error_number == EROFS || error_number == EPERM) {
    hint = "name a directory that you can write in with --path";
  }
  return system_error(ExitCode::environment, what, path.string(), error_number, hint);
}

Error unexpected_end(const std::filesystem::path& path, std::uint64_t offset) {
  return environment_error(fmt::format("{}: on {} the file ends at byte {}, where it was written before", path.string(),
                                       host_name(), offset),
                           "the file system lost data, or something truncated the file");
}

bool is_direct(int descriptor) {
  const int flags = fcntl(descriptor, F_GETFL);
  return flags >= 0 && (flags & O_DIRECT) != 0;
}

ScratchFile::ScratchFile(const std::filesystem::path& directory, std::uint64_t seed, int rank)
    : path_(directory / fmt::format(".assay-{:016x}-{}-{}", seed, rank, getpid())) {
  descriptor_ = create_exclusively(path_, O_DIRECT);
  const int reason = errno;
  const bool refused = descriptor_ < 0 && reason == EINVAL;  // kernels leave the file behind when they refuse O_DIRECT
  if (descriptor_ < 0 && !refused) throw storage_error("cannot make a scratch file", path_, reason);
  unlink(path_.c_str());
  if (!refused && is_direct(descriptor_)) return;
  if (!refused) close(descriptor_);
  throw environment_error(
      fmt::format("{}: the file system on {} gives no O_DIRECT; figures would be the page cache's, not the storage's",
                  directory.string(), host_name()),
      "name a directory on the storage under test with --path");
}

ScratchFile::ScratchFile(ScratchFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), path_(std::move(other.path_)) {}

ScratchFile& ScratchFile::operator=(ScratchFile&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(path_, other.path_);
  return *this;
}

ScratchFile::~ScratchFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

void ScratchFile::reserve(std::uint64_t bytes) {
  // The system call, not posix_fallocate: glibc imitates that with one-byte writes, which O_DIRECT refuses.
  const auto length = static_cast<off_t>(bytes);
  int result = 0;
  while ((result = fallocate(descriptor_, 0, 0, length)) != 0 && errno == EINTR) {
  }
  if (result != 0 && (errno == EOPNOTSUPP || errno == ENOSYS)) result = ftruncate(descriptor_, length);
  if (result != 0) throw storage_error(fmt::format("cannot reserve {} bytes", bytes), path_, errno);
}

void read_fully(int descriptor, const std::filesystem::path& path, std::span<std::byte> data, std::uint64_t offset) {
  for (std::size_t done = 0; done < data.size();) {
    const ssize_t got = pread(descriptor, data.data() + done, data.size() - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw storage_error("cannot read", path, errno);
    if (got == 0) throw unexpected_end(path, offset + done);
    done += static_cast<std::size_t>(got);
  }
}

void write_fully(int descriptor, const std::filesystem::path& path, std::span<const std::byte> data,
                 std::uint64_t offset) {
  for (std::size_t done = 0; done < data.size();) {
    const ssize_t put = pwrite(descriptor, data.data() + done, data.size() - done, static_cast<off_t>(offset + done));
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) throw storage_error("cannot write", path, put < 0 ? errno : ENOSPC);
    done += static_cast<std::size_t>(put);
  }
}

void ScratchFile::flush() {
  if (fdatasync(descriptor_) != 0) throw storage_error("cannot flush to storage", path_, errno);
}

void validate_test_path(const std::filesystem::path& path) {
  std::error_code reason;
  const auto status = std::filesystem::status(path, reason);
  if (!std::filesystem::exists(status)) {
    const int number = reason ? reason.value() : ENOENT;
    throw system_error(ExitCode::bad_input, "cannot use as test path on " + host_name(), path.string(), number,
                       "make the directory on every host, or name another one with --path");
  }
  if (!std::filesystem::is_directory(status)) {
    throw bad_input(fmt::format("{}: the test path is no directory on {}", path.string(), host_name()),
                    "name a directory with --path");
  }
  std::filesystem::path probe = path / fmt::format(".assay-probe-{}", getpid());
  const int descriptor = create_exclusively(probe, 0);
  if (descriptor < 0) {
    throw system_error(ExitCode::bad_input, "cannot write in the test path on " + host_name(), path.string(), errno,
                       "name a directory that you can write in with --path");
  }
  unlink(probe.c_str());
  close(descriptor);
}

}  // namespace assay
