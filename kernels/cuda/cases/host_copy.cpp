// Copies between page-locked host memory and the GPU by its copy engines: one way, and both ways at once on two
// streams. `numa` says where the host memory lies: on the NUMA node that the GPU hangs on, or on another.

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <memory>

#include "core/error.hpp"
#include "core/random.hpp"
#include "core/registry.hpp"
#include "kernels/cuda/axes.hpp"
#include "kernels/cuda/check.hpp"
#include "kernels/cuda/kernels.hpp"
#include "kernels/cuda/numa.hpp"
#include "kernels/cuda/stream_case.hpp"

namespace assay::cuda {

namespace {

constexpr std::size_t host_poison_step = std::size_t{1} << 20;
constexpr std::size_t host_poison_bytes = 64;

/// One direction: a block on each side and what it carries.
struct Lane {
  Lane(std::size_t bytes, std::optional<int> numa_node, std::uint64_t content)
      : host(bytes, numa_node), device(bytes), seed(content) {}
  PinnedMemory host;
  Memory device;
  std::uint64_t seed;
};

struct Places {
  std::optional<int> node;
  std::string words;
};

Places place_of(const std::string& numa, const std::string& pci_bus_id) {
  const std::optional<int> near = numa_node_of(pci_bus_id);
  const int nodes = numa_nodes();
  if (!near || nodes < 2) return {near, nodes < 2 ? "one NUMA node" : "NUMA node of the GPU unknown"};
  const int node = numa == "near" ? *near : (*near + 1) % nodes;
  return {node, fmt::format("host memory on NUMA node {}, GPU at node {}", node, *near)};
}

class HostCopy final : public StreamCase {
 public:
  HostCopy(Context& context, const std::string& way, std::size_t bytes, const std::string& numa)
      : StreamCase(context),
        bytes_(bytes),
        place_(place_of(numa, device().identity().pci_bus_id)),
        amount_(times_ranks(context, static_cast<double>(bytes) * (way == "both" ? 2 : 1))) {
    const std::uint64_t seed = mix(context.seed, static_cast<std::uint64_t>(context.group.rank()));
    if (way != "to_host") up_.emplace(bytes, place_.node, mix(seed, 1));
    if (way != "to_device") down_.emplace(bytes, place_.node, mix(seed, 2));
    if (up_) {
      fill_words(stream(), up_->device.data(), bytes, up_->seed);
      to_host(*up_, stream());
    }
    if (down_) fill_words(stream(), down_->device.data(), bytes, down_->seed);
    drain("the preparation of blocks");
  }

  // What arrived on the host is sent back into a block of its own to be looked at, so that the GPU checks both.
  Check verify() override {
    tally_.clear(stream());
    if (up_) check_words(stream(), up_->device.data(), bytes_, up_->seed, tally_);
    if (down_) {
      cuda::check(cudaMemsetAsync(down_->device.data(), 0xff, bytes_, stream().get()), "cudaMemsetAsync");
      to_device(*down_, stream());
      check_words(stream(), down_->device.data(), bytes_, down_->seed, tally_);
    }
    return check_of(tally_.read(stream()));
  }

  bool corrupt() override {
    if (up_)
      flip_bit(stream(), up_->device.data(), 3);
    else
      down_->host.data()[3] ^= std::byte{1};
    return true;
  }

  [[nodiscard]] Work work() const override {
    return {WorkKind::bytes, amount_, up_ && down_ ? Direction::both_ways : Direction::one_way, 1};
  }
  [[nodiscard]] std::string method() const override { return place_.words; }

 private:
  void to_device(const Lane& lane, const Stream& on) const {
    cuda::check(cudaMemcpyAsync(lane.device.data(), lane.host.data(), bytes_, cudaMemcpyHostToDevice, on.get()),
                "cudaMemcpyAsync to the GPU");
  }
  void to_host(const Lane& lane, const Stream& on) const {
    cuda::check(cudaMemcpyAsync(lane.host.data(), lane.device.data(), bytes_, cudaMemcpyDeviceToHost, on.get()),
                "cudaMemcpyAsync to the host");
  }

  void prepare() override {
    if (up_) cuda::check(cudaMemsetAsync(up_->device.data(), 0xff, bytes_, stream().get()), "cudaMemsetAsync");
    if (!down_) return;
    for (std::size_t at = 0; at < bytes_; at += host_poison_step)
      std::memset(down_->host.data() + at, 0xff, std::min(host_poison_bytes, bytes_ - at));
  }

  void enqueue() override {
    if (up_ && down_) {
      fork_.record(stream());
      fork_.hold_back(back_);
      to_host(*down_, back_);
      join_.record(back_);
    }
    if (up_) to_device(*up_, stream());
    if (up_ && down_) join_.hold_back(stream());
    if (!up_) to_host(*down_, stream());
  }

  std::size_t bytes_;
  Places place_;
  double amount_;
  std::optional<Lane> up_;
  std::optional<Lane> down_;
  Stream back_;
  Event fork_{Event::Kind::order};
  Event join_{Event::Kind::order};
  TallyCounter tally_;
};

std::vector<Axis> axes(const Layout& layout) {
  Axis numa{"numa", {{"near"}}};
  if (numa_nodes() > 1) numa.values.push_back({"far", Suite::standard});
  return {{"way", {{"to_device"}, {"to_host"}, {"both", Suite::standard}}},
          {"bytes", {{"1048576", Suite::full}, {"67108864"}, {"268435456", Suite::full}}},
          numa,
          gpus_axis(layout, Suite::full)};
}

const Register registered({
    .name = "gpu.host_copy",
    .summary = "Copies between page-locked host memory and the GPU, by its copy engines",
    .needs = {.gpus = 1},
    .timing = Timing::device,
    .combine = Combine::concurrent,
    .longest_batch = StreamCase::longest_batch,
    .axes = axes,
    .sets = gpus_sets,
    .make = [](Context& context, const Point& point) -> std::unique_ptr<Case> {
      return std::make_unique<HostCopy>(context, point.get("way"), point.integer("bytes"), point.get("numa"));
    },
});

}  // namespace

}  // namespace assay::cuda
