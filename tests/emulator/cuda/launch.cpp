#include "tests/emulator/cuda/launch.hpp"

#include <algorithm>
#include <cstdio>

#include "tests/emulator/cuda/contention.hpp"
#include "tests/emulator/cuda/copies.hpp"
#include "tests/emulator/cuda/engine.hpp"
#include "tests/emulator/cuda/errors.hpp"
#include "tests/emulator/cuda/properties.hpp"
#include "tests/emulator/cuda/streams.hpp"
#include "tests/emulator/cuda/timing.hpp"

namespace emulator {
namespace {

/// A kernel that works for longer than about this shares the card with what others run at the same time.
constexpr double heavy_operations = 1e7;
constexpr std::size_t heavy_bytes = 1 << 20;

void check_shape(const Kernel& kernel, const Shape& shape) {
  const unsigned block[3] = {shape.block.x, shape.block.y, shape.block.z};
  const unsigned grid[3] = {shape.grid.x, shape.grid.y, shape.grid.z};
  for (int axis = 0; axis < 3; ++axis) {
    require(block[axis] >= 1 && block[axis] <= limits::block[axis], cudaErrorInvalidConfiguration);
    require(grid[axis] >= 1 && grid[axis] <= limits::grid[axis], cudaErrorInvalidConfiguration);
  }
  const auto threads = std::uint64_t{block[0]} * block[1] * block[2];
  require(threads <= limits::threads_per_block, cudaErrorInvalidConfiguration);
  require(shape.shared_memory <= static_cast<std::size_t>(kernel.shared_memory_limit));
}

/// Translates a kernel's pointers and notes what is wrong with them.
class Reach {
 public:
  explicit Reach(const Device& device) : device_(device) {}

  void* translate(const void* address) {
    if (address == nullptr) return nullptr;
    const auto block = process().memory().find(address);
    if (!block || !reachable(device_, *block)) {
      sound_ = false;
      return nullptr;
    }
    if (block->place == Place::pinned) host_.push_back({block->base, block->bytes});
    return block->alias + (static_cast<const std::byte*>(address) - block->base);
  }
  /// The bytes lie within one block.
  void check(const Access& access) {
    const std::size_t span = access.span == 0 ? access.bytes : access.span;
    const auto block = process().memory().find(access.address);
    const bool fits =
        block && reachable(device_, *block) &&
        span <= block->bytes - static_cast<std::size_t>(static_cast<const std::byte*>(access.address) - block->base);
    sound_ &= fits || access.bytes == 0;
  }
  [[nodiscard]] bool sound() const { return sound_; }
  [[nodiscard]] const std::vector<HostRange>& host() const { return host_; }

 private:
  const Device& device_;
  std::vector<HostRange> host_;
  bool sound_ = true;
};

std::vector<int> resources_of(const Device& device, const Cost& cost) {
  std::vector<int> resources;
  std::size_t local = 0;
  for (const Access& access : cost.accesses) {
    const Endpoint end = endpoint_at(access.address, 0);
    if (end.on_device() && end.gpu == device.gpu) {
      local += access.bytes;
      continue;
    }
    const Route route = end.on_device()
                            ? (access.writes ? peer_route(*device.gpu, *end.gpu) : peer_route(*end.gpu, *device.gpu))
                            : host_route(*device.gpu, numa_node_of(end.at, *device.gpu), !access.writes);
    resources.insert(resources.end(), route.resources.begin(), route.resources.end());
  }
  if (local > heavy_bytes || cost.operations > heavy_operations) resources.push_back(multiprocessors(*device.gpu));
  std::sort(resources.begin(), resources.end());
  resources.erase(std::unique(resources.begin(), resources.end()), resources.end());
  return resources;
}

double run_kernel(const PreparedLaunch& launch, Execution& execution) {
  launch.body();
  // One that waited for the host ends when the host let it go.
  if (launch.cost.blocked) return std::max(execution.start, process().clock());
  return execution.start + kernel_seconds(execution.stream, launch.cost);
}

}  // namespace

void launch(Stream& stream, const Kernel& kernel, const Shape& shape, void** arguments) {
  check_shape(kernel, shape);
  if (process().checks_images()) {
    require(kernel.module == nullptr || kernel.module->runs_on(*stream.device.gpu), cudaErrorNoKernelImageForDevice);
  }
  if (kernel.twin == nullptr) {
    std::fprintf(stderr, "emulated CUDA: kernel %s has no twin in the emulator\n", kernel.name.c_str());
    throw ApiError(cudaErrorInvalidDeviceFunction);
  }
  Reach reach(stream.device);
  const auto prepared = std::make_shared<PreparedLaunch>(
      kernel.twin->prepare(arguments, shape, [&](const void* address) { return reach.translate(address); }));
  for (const Access& access : prepared->cost.accesses) reach.check(access);
  Op op{.name = kernel.name};
  if (reach.sound()) {
    op.run = [prepared](Execution& execution) { return run_kernel(*prepared, execution); };
    op.resources = resources_of(stream.device, prepared->cost);
    op.host = reach.host();
    op.may_block = static_cast<bool>(prepared->cost.blocked);
    if (op.may_block) op.ready = [prepared] { return !prepared->cost.blocked(); };
  } else {
    op.run = [](Execution&) -> double { throw StreamFault(cudaErrorIllegalAddress); };
  }
  submit(stream, std::move(op));
}

}  // namespace emulator
