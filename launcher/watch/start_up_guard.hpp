#pragma once

#include <thread>

#include "core/units.hpp"

namespace assay {

/// Ends the process (exit code 4) when nobody releases it in time: MPI waits for ever for a rank that never starts, and
/// no watchdog can run before the ranks know each other.
class StartUpGuard {
 public:
  explicit StartUpGuard(Seconds limit);
  ~StartUpGuard();
  StartUpGuard(const StartUpGuard&) = delete;
  StartUpGuard& operator=(const StartUpGuard&) = delete;

  void release();

 private:
  std::jthread thread_;
};

}  // namespace assay
