#include "launcher/watch/start_up_guard.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <mutex>

#include "core/error.hpp"

namespace assay {

namespace {

void wait_and_end(const std::stop_token& stop, Seconds limit) {
  std::mutex mutex;
  std::condition_variable_any released;
  std::unique_lock lock(mutex);
  released.wait_for(lock, stop, std::chrono::duration<double>(limit.value), [&stop] { return stop.stop_requested(); });
  if (stop.stop_requested()) return;
  char host[256] = {};
  gethostname(host, sizeof host - 1);
  fmt::print(stderr,
             "assay: error: process {} on {}: the ranks did not find each other within {:.0f} s\n"
             "  a rank did not start or has stopped: look for its process on each host\n",
             getpid(), host, limit.value);
  std::fflush(nullptr);
  std::_Exit(static_cast<int>(ExitCode::environment));
}

}  // namespace

StartUpGuard::StartUpGuard(Seconds limit) {
  // Signals stay with the main thread.
  sigset_t all;
  sigset_t old;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  thread_ = std::jthread([limit](const std::stop_token& stop) { wait_and_end(stop, limit); });
  pthread_sigmask(SIG_SETMASK, &old, nullptr);
}

StartUpGuard::~StartUpGuard() = default;

void StartUpGuard::release() { thread_.request_stop(); }

}  // namespace assay
