#include "collectives/nccl/debug_stream.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace assay::nccl {

namespace {

constexpr int keep_users = 0;
// Without GRAPH, whose dumps of the topology are long, and without COLL, which writes a line for each operation.
constexpr const char* subsystems = "INIT,ENV,NET,P2P,SHM,TUNING";

std::string host_name() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return {};
  const std::string full(name.data());
  return full.substr(0, full.find('.'));
}

}  // namespace

std::string debug_file_path(const std::string& pattern, const std::string& host, long process) {
  std::string path;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char next = pattern[i] == '%' && i + 1 < pattern.size() ? pattern[i + 1] : '\0';
    if (next == 'h')
      path += host;
    else if (next == 'p')
      path += std::to_string(process);
    else if (next == '%')
      path += '%';
    else
      path += pattern[i];
    if (next == 'h' || next == 'p' || next == '%') ++i;
  }
  return path;
}

DebugStream::DebugStream() {
  const char* file = std::getenv("NCCL_DEBUG_FILE");
  if (file != nullptr && *file != '\0') {
    path_ = debug_file_path(file, host_name(), getpid());
  } else if (std::getenv("NCCL_DEBUG") == nullptr) {
    memory_ = memfd_create("nccl-debug", MFD_CLOEXEC);
    if (memory_ < 0) return;
    path_ = fmt::format("/proc/self/fd/{}", memory_);
    setenv("NCCL_DEBUG_FILE", path_.c_str(), keep_users);
  }
  if (path_.empty()) return;
  setenv("NCCL_DEBUG", "INFO", keep_users);
  setenv("NCCL_DEBUG_SUBSYS", subsystems, keep_users);
}

std::string DebugStream::take() {
  if (path_.empty()) return {};
  std::ifstream file(path_, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(read_));
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  // A line that is not whole yet is read again with its end.
  text.resize(text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1);
  read_ += text.size();
  // Memory of what was read goes back to the system: NCCL writes a line for each operation.
  if (memory_ >= 0) (void)fallocate(memory_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(read_));
  return text;
}

}  // namespace assay::nccl
