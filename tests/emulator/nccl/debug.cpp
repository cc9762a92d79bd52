#include "tests/emulator/nccl/debug.hpp"

#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cctype>
#include <memory>
#include <string_view>
#include <utility>

#include "tests/emulator/model/environment.hpp"

namespace emulator::nccl {
namespace {

constexpr std::array<std::pair<std::string_view, unsigned>, 15> names{{{"INIT", subsystem_init},
                                                                       {"COLL", subsystem_coll},
                                                                       {"P2P", subsystem_p2p},
                                                                       {"SHM", subsystem_shm},
                                                                       {"NET", subsystem_net},
                                                                       {"GRAPH", subsystem_graph},
                                                                       {"TUNING", subsystem_tuning},
                                                                       {"ENV", subsystem_env},
                                                                       {"ALLOC", subsystem_alloc},
                                                                       {"CALL", subsystem_call},
                                                                       {"PROXY", subsystem_proxy},
                                                                       {"NVLS", subsystem_nvls},
                                                                       {"BOOTSTRAP", subsystem_bootstrap},
                                                                       {"REG", subsystem_reg},
                                                                       {"ALL", subsystem_all}}};

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

unsigned subsystems_of(std::string text) {
  text = upper(text);
  if (text.empty()) return subsystem_init | subsystem_bootstrap | subsystem_env;
  const bool excluded = text.starts_with('^');
  unsigned listed = 0;
  for (std::size_t from = excluded ? 1 : 0; from < text.size();) {
    const auto to = std::min(text.find(',', from), text.size());
    for (const auto& [name, bit] : names) {
      if (text.compare(from, to - from, name) == 0) listed |= bit;
    }
    from = to + 1;
  }
  return excluded ? subsystem_all & ~listed : listed;
}

std::string host_name() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  const std::string whole = name.data();
  return whole.substr(0, whole.find('.'));
}

std::string file_name(const std::string& pattern, const std::string& host) {
  std::string name;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char next = pattern[i] == '%' && i + 1 < pattern.size() ? pattern[i + 1] : '\0';
    switch (next) {
      case 'h':
        name += host;
        break;
      case 'p':
        name += std::to_string(::getpid());
        break;
      case '%':
        name += '%';
        break;
      default:
        name += pattern[i];
        continue;
    }
    ++i;
  }
  return name;
}

}  // namespace

DebugStream& DebugStream::get() {
  struct Made : DebugStream {};
  static DebugStream& made = *std::make_unique<Made>().release();  // threads may write while the process ends
  return made;
}

void DebugStream::reset() {
  const std::lock_guard lock(mutex_);
  const auto level = upper(environment("NCCL_DEBUG"));
  level_ = level == "VERSION"                                        ? Level::version
           : level == "WARN"                                         ? Level::warn
           : level == "INFO" || level == "TRACE" || level == "ABORT" ? Level::info
                                                                     : Level::none;
  subsystems_ = subsystems_of(environment("NCCL_DEBUG_SUBSYS"));
  host_ = host_name();
  const auto pattern = environment("NCCL_DEBUG_FILE");
  if (file_ == nullptr && level_ > Level::version && !pattern.empty()) {
    file_ = std::fopen(file_name(pattern, host_).c_str(), "w");
    if (file_ != nullptr) std::setvbuf(file_, nullptr, _IONBF, 0);
  }
}

void DebugStream::info(unsigned subsystems, int device, const std::string& text) {
  if (informs(subsystems)) write(device, "INFO", text);
}

void DebugStream::warn(int device, const std::string& text) {
  if (level_ >= Level::warn) write(device, "WARN", text);
}

void DebugStream::plain(const std::string& text) {
  const std::lock_guard lock(mutex_);
  std::FILE* out = file_ != nullptr ? file_ : stdout;
  fmt::print(out, "{}\n", text);
  std::fflush(out);
}

void DebugStream::write(int device, const char* kind, const std::string& text) {
  // NCCL puts an empty line before a warning.
  const bool warning = kind[0] == 'W';
  plain(fmt::format("{}{}:{}:{} [{}] NCCL {} {}", warning ? "\n" : "", host_, ::getpid(), ::syscall(SYS_gettid), device,
                    kind, text));
}

}  // namespace emulator::nccl
