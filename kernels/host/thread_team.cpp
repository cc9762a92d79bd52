#include "kernels/host/thread_team.hpp"

#include <signal.h>

#include <utility>

#include "core/error.hpp"

namespace assay {
namespace {

/// Signals stay with the thread that the launcher expects them on: threads started meanwhile inherit the full mask.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

int first_of(const std::vector<int>& cpus) {
  if (cpus.empty()) throw environment_error("a thread team needs at least one CPU");
  return cpus.front();
}

}  // namespace

// Delegating: once the private constructor is done, the destructor also runs when starting or pinning a thread throws.
ThreadTeam::ThreadTeam(const std::vector<int>& cpus) : ThreadTeam(CallerOnly{}, first_of(cpus)) {
  const SignalsBlocked blocked;
  threads_.reserve(cpus.size() - 1);
  for (std::size_t index = 1; index < cpus.size(); ++index) {
    threads_.emplace_back(&ThreadTeam::serve, this, index);
    pin_thread(threads_.back(), cpus[index]);
  }
}

ThreadTeam::~ThreadTeam() {
  release(nullptr);
  for (std::thread& thread : threads_) thread.join();
}

void ThreadTeam::run(const Body& body) {
  busy_.store(static_cast<std::uint32_t>(threads_.size()), std::memory_order_relaxed);
  if (!threads_.empty()) release(&body);
  call(body, 0);
  for (auto busy = busy_.load(std::memory_order_acquire); busy != 0; busy = busy_.load(std::memory_order_acquire)) {
    busy_.wait(busy, std::memory_order_acquire);
  }
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

void ThreadTeam::release(const Body* body) {
  body_ = body;
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
}

void ThreadTeam::serve(std::size_t index) {
  for (std::uint32_t seen = 0;; ++seen) {
    round_.wait(seen, std::memory_order_acquire);
    if (body_ == nullptr) return;
    call(*body_, index);
    if (busy_.fetch_sub(1, std::memory_order_acq_rel) == 1) busy_.notify_one();
  }
}

void ThreadTeam::call(const Body& body, std::size_t index) noexcept {
  try {
    body(index);
  } catch (...) {
    const std::lock_guard lock(error_mutex_);
    if (!error_) error_ = std::current_exception();
  }
}

}  // namespace assay
