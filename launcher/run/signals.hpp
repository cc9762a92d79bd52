#pragma once

#include <csignal>

namespace assay {

/// Turns SIGINT and SIGTERM into a flag that loops ask for; ignores SIGPIPE and SIGXFSZ, and restores the former
/// handlers when destroyed. Only one may live at a time in a process.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// The signal that asked this process to stop, 0 while none has.
  [[nodiscard]] int received() const noexcept;

 private:
  struct sigaction old_interrupt_ {};
  struct sigaction old_terminate_ {};
  struct sigaction old_pipe_ {};
  struct sigaction old_file_size_ {};
};

}  // namespace assay
