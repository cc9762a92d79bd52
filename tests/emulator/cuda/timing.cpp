#include "tests/emulator/cuda/timing.hpp"

#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "tests/emulator/cuda/contention.hpp"
#include "tests/emulator/cuda/copies.hpp"
#include "tests/emulator/cuda/process.hpp"
#include "tests/emulator/model/noise.hpp"

namespace emulator {
namespace {

/// Start and end of an operation on the card [s].
constexpr double kernel_floor = 1.7e-6, copy_floor = 1.4e-6, host_copy_rate = 1.2e10;
/// Share of a link's rate that loads and stores of the multiprocessors reach over it.
constexpr double remote_share = 0.93;
/// A dependent load over a link [s], on top of its latency.
constexpr double remote_load = 0.6e-6;
/// Working sets within the cache move so much quicker.
constexpr double cache_factor = 2.5, cache_share = 0.6;

double in_memory(const Gpu& gpu, const GpuState& state, double bytes, double span) {
  const double seconds = memory_seconds(gpu, state, bytes);
  return span <= cache_share * static_cast<double>(gpu.product->l2_bytes) ? seconds / cache_factor : seconds;
}

/// Way between the card that runs a kernel and memory elsewhere.
Route way(const Gpu& gpu, const Endpoint& end, bool writes) {
  if (end.on_device()) return writes ? peer_route(gpu, *end.gpu) : peer_route(*end.gpu, gpu);
  return host_route(gpu, numa_node_of(end.at, gpu), !writes);
}

/// Sums of a kernel's accesses.
struct Traffic {
  double local_bytes = 0, local_span = 0;
  double remote_seconds = 0;  ///< The slower of both directions.
};

Traffic traffic(Stream& stream, const Gpu& gpu, const Cost& cost) {
  Traffic sum;
  double directions[2] = {0, 0};
  for (const Access& access : cost.accesses) {
    const Endpoint end = endpoint_at(access.address, 0);
    const auto bytes = static_cast<double>(access.bytes);
    if (end.on_device() && end.gpu == &gpu) {
      sum.local_bytes += bytes;
      sum.local_span += static_cast<double>(access.span == 0 ? access.bytes : access.span);
    } else {
      const Route route = way(gpu, end, access.writes);
      directions[access.writes ? 1 : 0] +=
          route.latency_seconds + bytes / (shared_rate(stream, route.bytes_per_second, route.resources) * remote_share);
    }
  }
  sum.remote_seconds = std::max(directions[0], directions[1]);
  return sum;
}

double chase(const Gpu& gpu, const GpuState& state, const Chase& work) {
  if (work.hops <= 0) return 0;
  const Endpoint end = endpoint_at(work.address, 0);
  if (end.on_device() && end.gpu == &gpu) {
    return work.hops * chase_seconds(gpu, state, static_cast<double>(work.working_set));
  }
  return work.hops * (remote_load + 2 * way(gpu, end, false).latency_seconds);
}

bool announced(const Stream& stream, const Gpu& gpu) { return sharers(stream, multiprocessors(gpu)) > 1; }

Load load_of(const Cost& cost, double computing, double moving) {
  if (computing > moving) return {Load::Kind::compute, cost.type};
  return {Load::Kind::memory, Type::fp32};
}

}  // namespace

double noise(Stream& stream) {
  const std::uint64_t event =
      mix(mix(stream.id, static_cast<std::uint64_t>(stream.device.gpu->slot)), ++stream.work_count);
  return jitter(*stream.device.gpu, event);
}

double host_copy_seconds(std::size_t bytes) {
  return process().zero_time() ? 0 : static_cast<double>(bytes) / host_copy_rate;
}

double card_copy_seconds(Stream& stream, const Gpu& gpu, std::size_t bytes) {
  if (process().zero_time()) return 0;
  const double moved = 2 * static_cast<double>(bytes);
  const double seconds = copy_floor + in_memory(gpu, live_state(gpu), moved, moved) * noise(stream);
  account(gpu, {Load::Kind::memory, Type::fp32}, seconds);
  return seconds;
}

double fill_seconds(Stream& stream, std::size_t bytes) {
  if (process().zero_time()) return 0;
  const Gpu& gpu = *stream.device.gpu;
  const auto moved = static_cast<double>(bytes);
  const double seconds = copy_floor + in_memory(gpu, live_state(gpu), moved, moved) * noise(stream);
  account(gpu, {Load::Kind::memory, Type::fp32}, seconds);
  return seconds;
}

double transfer_seconds(Stream& stream, const Route& route, double bytes) {
  if (process().zero_time()) return 0;
  const double rate = shared_rate(stream, route.bytes_per_second, route.resources);
  const double seconds = copy_floor + route.latency_seconds + bytes / rate * noise(stream);
  account(*stream.device.gpu, {Load::Kind::copy, Type::fp32}, seconds);
  return seconds;
}

double kernel_seconds(Stream& stream, const Cost& cost) {
  if (process().zero_time()) return 0;
  const Gpu& gpu = *stream.device.gpu;
  const GpuState state = live_state(gpu);
  const Traffic moved = traffic(stream, gpu, cost);
  double computing = cost.operations > 0 ? compute_seconds(gpu, state, cost.type, cost.operations) : 0;
  double moving = moved.local_bytes > 0 ? in_memory(gpu, state, moved.local_bytes, moved.local_span) : 0;
  if (announced(stream, gpu)) {
    const int users = sharers(stream, multiprocessors(gpu));
    computing *= users;
    moving *= users;
  }
  const double body =
      std::max({computing, moving, moved.remote_seconds}) + chase(gpu, state, cost.chase) + cost.seconds;
  const double seconds = kernel_floor + body * noise(stream);
  account(gpu, load_of(cost, computing, moving), seconds);
  return seconds;
}

int numa_node_of(const void* address, const Gpu& gpu) {
  static const bool several = std::filesystem::exists("/sys/devices/system/node/node1");
  int node = -1;
  const bool known =
      several && syscall(SYS_get_mempolicy, &node, nullptr, 0UL, address, MPOL_F_NODE | MPOL_F_ADDR) == 0;
  return known && node < Cluster::current().this_node().sockets ? node : gpu.numa_node;
}

}  // namespace emulator
