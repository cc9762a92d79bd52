#include "tests/emulator/model/activity.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>

#include "tests/emulator/model/limits.hpp"
#include "tests/emulator/model/shared_area.hpp"
#include "tests/emulator/model/state.hpp"

namespace emulator {
namespace {

using Activities = std::array<Activity, static_cast<std::size_t>(limit::nodes* limit::gpus)>;

/// How long a card reads as loaded after its last work, wall time.
constexpr std::int64_t load_hold_ns = 400'000'000;
/// Busy time after which what a card did before has faded to 1/e.
constexpr double fade_seconds = 0.5;

std::int64_t wall_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

Load recent_load(const Activity& activity) {
  const auto last = activity.last_busy.load(std::memory_order_relaxed);
  if (last == 0 || wall_ns() - last > load_hold_ns) return {};
  std::size_t most = 0;
  for (std::size_t i = 1; i < activity.shares.size(); ++i) {
    if (activity.shares[i].load(std::memory_order_relaxed) > activity.shares[most].load(std::memory_order_relaxed))
      most = i;
  }
  return {.kind = static_cast<Load::Kind>(most + 1),
          .type = static_cast<Type>(activity.compute_type.load(std::memory_order_relaxed))};
}

}  // namespace

Activity& activity_of(const Gpu& gpu) {
  static const auto* const area = std::make_unique<SharedArea<Activities>>("activity").release();  // never unmapped
  return (**area)[static_cast<std::size_t>(gpu.node * limit::gpus + gpu.slot)];
}

void account(const Gpu& gpu, Load load, double busy_virtual_seconds) {
  if (load.kind == Load::Kind::idle) return;
  auto& activity = activity_of(gpu);
  activity.busy_seconds.fetch_add(busy_virtual_seconds, std::memory_order_relaxed);
  // Two processes that fade at once lose a little of each other's time: only sensors read it.
  const double fade = std::exp(-busy_virtual_seconds / fade_seconds);
  for (std::size_t i = 0; i < activity.shares.size(); ++i) {
    const double more = static_cast<std::size_t>(load.kind) == i + 1 ? fade_seconds * (1 - fade) : 0;
    auto& share = activity.shares[i];
    share.store(share.load(std::memory_order_relaxed) * fade + more, std::memory_order_relaxed);
  }
  if (load.kind == Load::Kind::compute)
    activity.compute_type.store(static_cast<int>(load.type), std::memory_order_relaxed);
  activity.last_busy.store(wall_ns(), std::memory_order_relaxed);
}

std::uint64_t count_operation(const Gpu& gpu) {
  return activity_of(gpu).operations.fetch_add(1, std::memory_order_relaxed);
}

bool lost(const Gpu& gpu) {
  const auto* fault = gpu.fault(FaultKind::lost_gpu);
  return fault != nullptr &&
         activity_of(gpu).operations.load(std::memory_order_relaxed) >= static_cast<std::uint64_t>(fault->after);
}

void account_memory(const Gpu& gpu, std::int64_t bytes_more) {
  activity_of(gpu).held_bytes.fetch_add(bytes_more, std::memory_order_relaxed);
}

std::uint64_t memory_held(const Gpu& gpu) {
  return static_cast<std::uint64_t>(
      std::max<std::int64_t>(0, activity_of(gpu).held_bytes.load(std::memory_order_relaxed)));
}

GpuState live_state(const Gpu& gpu) {
  const auto& activity = activity_of(gpu);
  auto state = state_under(gpu, recent_load(activity), activity.busy_seconds.load(std::memory_order_relaxed));
  state.lost = lost(gpu);
  return state;
}

}  // namespace emulator
