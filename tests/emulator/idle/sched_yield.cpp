// Preloaded into the ranks of an emulated cluster: waiting ranks sleep instead of spinning through the scheduler. Many
// more ranks than cores otherwise keep each other from running, some kernels for tens of seconds at a time.

#include <ctime>

namespace {

constexpr long pause_nanoseconds = 50'000;

}  // namespace

extern "C" int sched_yield() noexcept {
  const timespec pause{0, pause_nanoseconds};
  nanosleep(&pause, nullptr);
  return 0;
}
