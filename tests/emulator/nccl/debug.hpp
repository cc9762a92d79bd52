#pragma once

#include <cstdio>
#include <mutex>
#include <string>

namespace emulator::nccl {

/// What a line of the debug stream is about, as NCCL_DEBUG_SUBSYS names it.
enum Subsystem : unsigned {
  subsystem_init = 0x1,
  subsystem_coll = 0x2,
  subsystem_p2p = 0x4,
  subsystem_shm = 0x8,
  subsystem_net = 0x10,
  subsystem_graph = 0x20,
  subsystem_tuning = 0x40,
  subsystem_env = 0x80,
  subsystem_alloc = 0x100,
  subsystem_call = 0x200,
  subsystem_proxy = 0x400,
  subsystem_nvls = 0x800,
  subsystem_bootstrap = 0x1000,
  subsystem_reg = 0x2000,
  subsystem_all = ~0U
};

/// The debug stream of the process: NCCL_DEBUG, NCCL_DEBUG_SUBSYS and NCCL_DEBUG_FILE (with %h, %p), read at first use.
/// Lines are laid out as NCCL lays them out: "host:pid:tid [device] NCCL INFO text".
class DebugStream {
 public:
  static DebugStream& get();

  /// Reads the environment again.
  void reset();
  [[nodiscard]] bool shows_version() const { return level_ == Level::version; }
  /// INFO lines about this are written.
  [[nodiscard]] bool informs(unsigned subsystems) const {
    return level_ >= Level::info && (subsystems & subsystems_) != 0;
  }
  void info(unsigned subsystems, int device, const std::string& text);
  void warn(int device, const std::string& text);
  void plain(const std::string& text);

 protected:
  DebugStream() { reset(); }

 private:
  enum class Level { none, version, warn, info };
  void write(int device, const char* kind, const std::string& text);

  std::mutex mutex_;
  Level level_ = Level::none;
  unsigned subsystems_ = 0;
  std::FILE* file_ = nullptr;
  std::string host_;
};

}  // namespace emulator::nccl
