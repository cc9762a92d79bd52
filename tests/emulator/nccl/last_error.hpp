#pragma once

#include <mutex>
#include <string>

namespace emulator::nccl {

/// The words of the process's last error, for ncclGetLastError: of any thread and any communicator.
class LastError {
 public:
  static LastError& get();
  /// Also a warning of the debug stream.
  void set(const std::string& text);
  [[nodiscard]] std::string text();

 private:
  std::mutex mutex_;
  std::string text_;
};

}  // namespace emulator::nccl
