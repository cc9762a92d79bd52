#pragma once

#include <sched.h>

#include <array>
#include <thread>

namespace assay {

/// A set of CPUs as the kernel takes it; room for 8192.
using CpuMask = std::array<cpu_set_t, 8>;

/// Pins another thread of this process to one CPU. Throws Error(environment) when the system refuses.
void pin_thread(std::thread& thread, int cpu);

/// Pins the calling thread to one CPU; what it was bound to before comes back when this is destroyed, which has to
/// happen on the same thread. The constructor throws Error(environment) when the system refuses.
class PinnedHere {
 public:
  explicit PinnedHere(int cpu);
  PinnedHere(const PinnedHere&) = delete;
  PinnedHere& operator=(const PinnedHere&) = delete;
  ~PinnedHere();

 private:
  CpuMask before_{};
};

}  // namespace assay
