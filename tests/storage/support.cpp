#include "tests/storage/support.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace assay::testing {
namespace {

constexpr int not_permitted_status = 77;

void write_text(const char* path, const std::string& text) { std::ofstream(path) << text; }

/// As root directly; otherwise as root of an own user namespace, where the system allows one.
bool leave_mount_namespace() {
  if (unshare(CLONE_NEWNS) == 0) return true;
  const uid_t user = getuid();
  const gid_t group = getgid();
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
  write_text("/proc/self/setgroups", "deny");
  write_text("/proc/self/uid_map", fmt::format("0 {} 1", user));
  write_text("/proc/self/gid_map", fmt::format("0 {} 1", group));
  return true;
}

}  // namespace

Descriptor::Descriptor(const std::filesystem::path& path, int flags) : descriptor_(open(path.c_str(), flags, 0600)) {
  if (descriptor_ < 0) throw std::runtime_error("open " + path.string());
}

Descriptor::~Descriptor() { close(descriptor_); }

std::optional<std::string> complaint_of_child(const std::function<std::string()>& body) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) throw std::runtime_error("pipe");
  const pid_t child = fork();
  if (child == 0) {
    std::string complaint;
    try {
      complaint = body();
    } catch (const std::exception& error) {
      complaint = std::string("unexpected: ") + error.what();
    }
    const bool told = write(ends[1], complaint.data(), complaint.size()) == static_cast<ssize_t>(complaint.size());
    _exit(told ? 0 : 1);
  }
  close(ends[1]);
  std::string complaint;
  std::array<char, 4096> part{};
  for (ssize_t got = 0; (got = read(ends[0], part.data(), part.size())) > 0;) {
    complaint.append(part.data(), static_cast<std::size_t>(got));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == not_permitted_status) return std::nullopt;
  if (status != 0) return fmt::format("child ended with status {:#x}: {}", status, complaint);
  return complaint;
}

void not_permitted() { _exit(not_permitted_status); }

void mount_privately(const std::string& type, const std::filesystem::path& where, unsigned long flags,
                     const std::string& options) {
  if (!leave_mount_namespace()) not_permitted();
  if (mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) not_permitted();
  if (mount("none", where.c_str(), type.c_str(), flags, options.c_str()) != 0) not_permitted();
}

std::optional<Error> error_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    return error;
  }
  return std::nullopt;
}

std::size_t entries_in(const std::filesystem::path& directory) {
  return static_cast<std::size_t>(
      std::distance(std::filesystem::directory_iterator(directory), std::filesystem::directory_iterator()));
}

std::uintmax_t free_bytes(const std::filesystem::path& directory) { return std::filesystem::space(directory).free; }

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace assay::testing
