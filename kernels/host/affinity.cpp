#include "kernels/host/affinity.hpp"

#include <fmt/format.h>
#include <pthread.h>

#include <cerrno>

#include "core/error.hpp"

namespace assay {
namespace {

constexpr int maximum_cpus = static_cast<int>(sizeof(CpuMask) * 8);

CpuMask only(int cpu) {
  if (cpu < 0 || cpu >= maximum_cpus) {
    throw environment_error(fmt::format("CPU {} is outside 0..{}", cpu, maximum_cpus - 1));
  }
  CpuMask mask{};
  CPU_SET_S(static_cast<std::size_t>(cpu), sizeof(mask), mask.data());
  return mask;
}

void check_pinned(int error_number, int cpu) {
  if (error_number == 0) return;
  throw system_error(ExitCode::environment, "cannot bind a thread to it", fmt::format("CPU {}", cpu), error_number,
                     "The CPU may be off line or outside the job's cpuset: compare with 'taskset -cp $$'.");
}

}  // namespace

void pin_thread(std::thread& thread, int cpu) {
  const CpuMask mask = only(cpu);
  check_pinned(pthread_setaffinity_np(thread.native_handle(), sizeof(mask), mask.data()), cpu);
}

PinnedHere::PinnedHere(int cpu) {
  check_pinned(pthread_getaffinity_np(pthread_self(), sizeof(before_), before_.data()), cpu);
  const CpuMask mask = only(cpu);
  check_pinned(pthread_setaffinity_np(pthread_self(), sizeof(mask), mask.data()), cpu);
}

PinnedHere::~PinnedHere() { pthread_setaffinity_np(pthread_self(), sizeof(before_), before_.data()); }

}  // namespace assay
