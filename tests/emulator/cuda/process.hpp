#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tests/emulator/cuda/delivery.hpp"
#include "tests/emulator/cuda/memory.hpp"
#include "tests/emulator/cuda/scheduler.hpp"
#include "tests/emulator/model/cluster.hpp"

namespace emulator {

/// A GPU as this process sees it.
struct Device {
  int ordinal = 0;
  const Gpu* gpu = nullptr;
  std::atomic<int> fault{cudaSuccess};  ///< Sticky error.
  std::atomic<std::uint64_t> peers{0};  ///< Bit per ordinal whose memory this device may access.
  std::mutex arena_mutex;
  std::unique_ptr<Arena> arena;                  ///< Made by the first allocation.
  std::shared_ptr<Stream> legacy;                ///< The default stream; made by its first use.
  std::vector<std::shared_ptr<Stream>> streams;  ///< Without the default one; guarded by the scheduler's mutex.
};

/// Everything that libcudart keeps for its process.
class Process {
 public:
  /// Made by the first call, never destroyed: threads of streams may outlive main.
  static Process& get();

  /// cudaSuccess, or why no GPU can be used: no driver that is new enough, no GPU.
  [[nodiscard]] cudaError_t start_error() const { return start_error_; }
  [[nodiscard]] int driver_version() const { return driver_version_; }

  [[nodiscard]] std::deque<Device>& devices() { return devices_; }
  /// Throws ApiError(cudaErrorInvalidDevice).
  Device& device(int ordinal);
  Device& current();
  static int current_ordinal();
  static void set_current(int ordinal);

  [[nodiscard]] double clock() const { return clock_.load(std::memory_order_relaxed); }
  void advance(double seconds);
  void raise(double seconds);
  [[nodiscard]] bool zero_time() const { return zero_time_; }
  /// Counts the operations that wrote memory.
  [[nodiscard]] std::uint64_t memory_version() const { return memory_version_; }
  void note_write() { ++memory_version_; }
  /// Copies to the host write a pattern to their destination until they are synchronised (ASSAY_EMULATOR_STRICT=1).
  [[nodiscard]] bool strict() const { return strict_; }

  /// A kernel runs only on cards that it was compiled for (ASSAY_EMULATOR_IMAGES=1); otherwise code for one
  /// architecture stands for all, which saves build time.
  [[nodiscard]] bool checks_images() const { return checks_images_; }

  [[nodiscard]] Scheduler& scheduler() { return scheduler_; }
  [[nodiscard]] AddressSpace& memory() { return memory_; }
  [[nodiscard]] Deliveries& deliveries() { return deliveries_; }
  std::byte* allocate(Device& device, std::size_t bytes);
  void free_device_memory(const Block& block);

 private:
  Process();

  cudaError_t start_error_ = cudaSuccess;
  int driver_version_ = 0;
  bool zero_time_ = false, strict_ = false, checks_images_ = false;
  std::atomic<double> clock_{0};
  std::atomic<std::uint64_t> memory_version_{0};
  std::deque<Device> devices_;
  AddressSpace memory_;
  Deliveries deliveries_;
  Scheduler scheduler_;
};

inline Process& process() { return Process::get(); }

}  // namespace emulator
