#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "kernels/host/affinity.hpp"

namespace assay {

/// One thread on each of the given CPUs, for as long as the team lives. The caller itself is the first member: it stays
/// pinned to cpus[0] until the team is destroyed (on the same thread), so a team of one runs in line. Waiting members
/// sleep.
class ThreadTeam {
 public:
  /// Throws Error(environment) when `cpus` is empty or the system refuses one of them.
  explicit ThreadTeam(const std::vector<int>& cpus);
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;
  ~ThreadTeam();

  [[nodiscard]] std::size_t size() const { return threads_.size() + 1; }

  /// Calls body(index) on every member, index = position of its CPU in `cpus`, and returns when all are done. The first
  /// exception of any member is rethrown then.
  void run(const std::function<void(std::size_t)>& body);

 private:
  using Body = std::function<void(std::size_t)>;

  struct CallerOnly {};

  ThreadTeam(CallerOnly, int cpu) : pinned_(cpu) {}
  void serve(std::size_t index);
  void call(const Body& body, std::size_t index) noexcept;
  void release(const Body* body);

  PinnedHere pinned_;
  std::vector<std::thread> threads_;
  std::mutex error_mutex_;
  std::exception_ptr error_;
  const Body* body_ = nullptr;  ///< handed over by round_; nullptr ends the threads
  alignas(64) std::atomic<std::uint32_t> round_{0};
  alignas(64) std::atomic<std::uint32_t> busy_{0};
};

}  // namespace assay
