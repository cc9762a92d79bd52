#include "kernels/cuda/wait.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "core/error.hpp"
#include "kernels/cuda/check.hpp"

namespace assay::cuda {

namespace {

constexpr int spins = 200;
constexpr std::chrono::microseconds shortest_sleep{20};
constexpr std::chrono::microseconds longest_sleep{500};

}  // namespace

void wait(const Stream& stream, const Deadline& deadline, std::string_view what, const std::function<void()>& look) {
  std::chrono::microseconds pause = shortest_sleep;
  for (int looks = 0;; ++looks) {
    const cudaError_t state = cudaStreamQuery(stream.get());
    if (state == cudaSuccess) return;
    if (state != cudaErrorNotReady) check(state, what);
    if (look) look();
    if (looks < spins) {
      sched_yield();
      continue;
    }
    if (deadline.expired())
      throw incomplete(fmt::format("{} is not done at its deadline, {}", what, device_place()),
                       "the GPU hangs, or the deadline is too short for it");
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, longest_sleep);
  }
}

}  // namespace assay::cuda
