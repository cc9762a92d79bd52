// Latency of the GPU's memory: one thread follows a random cycle through an array, each load waiting for the one
// before. Where the time of a load steps up, the array has outgrown a cache (L1, then L2).

#include <fmt/format.h>

#include <memory>

#include "core/random.hpp"
#include "core/registry.hpp"
#include "kernels/cuda/axes.hpp"
#include "kernels/cuda/check.hpp"
#include "kernels/cuda/device/cycle.cuh"
#include "kernels/cuda/kernels.hpp"
#include "kernels/cuda/stream_case.hpp"

namespace assay::cuda {

namespace {

constexpr std::uint64_t loads = 4096;  ///< of one iteration: 1 to 4 ms
constexpr std::uint64_t nowhere = ~std::uint64_t{0};

class ChaseCase final : public StreamCase {
 public:
  ChaseCase(Context& context, std::size_t bytes)
      : StreamCase(context),
        shape_{bytes / chase_line_bytes, mix(context.seed, static_cast<std::uint64_t>(context.group.rank()))},
        lines_(bytes),
        end_(sizeof(std::uint64_t)) {
    chase_link(stream(), lines_.data(), shape_);
    drain("the preparation of the cycle");
  }

  Check verify() override {
    tally_.clear(stream());
    chase_check(stream(), lines_.data(), shape_, tally_);
    Check check = check_of(tally_.read(stream()));
    std::uint64_t end = nowhere;
    device().download(std::as_writable_bytes(std::span(&end, 1)), end_.data());
    ++check.checked;
    const std::uint64_t expected = Cycle(shape_).line_at(step_);
    if (end == expected) return check;
    ++check.wrong;
    check.first = fmt::format("the chase ended at line {}, expected {}", end, expected);
    return check;
  }

  bool corrupt() override {
    flip_bit(stream(), lines_.data(), 0);
    return true;
  }

  [[nodiscard]] Work work() const override { return {WorkKind::latency, static_cast<double>(loads)}; }

 private:
  void prepare() override {
    cuda::check(cudaMemsetAsync(end_.data(), 0xff, end_.size(), stream().get()), "cudaMemsetAsync");
  }
  void enqueue() override {
    chase(stream(), lines_.data(), shape_, step_, loads, end_.at<std::uint64_t>());
    step_ += loads;
  }

  ChaseShape shape_;
  Memory lines_;
  Memory end_;
  TallyCounter tally_;
  std::uint64_t step_ = 0;
};

std::vector<Axis> axes(const Layout& layout) {
  Axis bytes{"bytes", {}};
  for (int power = 15; power <= 32; ++power) {
    const std::uint64_t size = std::uint64_t{1} << power;
    if (2 * static_cast<std::int64_t>(size) > layout.gpu.memory_bytes) break;
    const bool landmark = power == 15 || power == 22 || power == 25 || power == 30;
    bytes.values.push_back({std::to_string(size), landmark ? Suite::standard : Suite::full});
  }
  return {bytes, gpus_axis(layout, Suite::full)};
}

const Register registered({
    .name = "gpu.chase",
    .summary = "Time of one dependent load from the GPU's memory; bytes = array that a random cycle visits",
    .needs = {.gpus = 1},
    .timing = Timing::device,
    .combine = Combine::slowest,
    .longest_batch = StreamCase::longest_batch,
    .axes = axes,
    .sets = gpus_sets,
    .make = [](Context& context, const Point& point) -> std::unique_ptr<Case> {
      return std::make_unique<ChaseCase>(context, point.integer("bytes"));
    },
});

}  // namespace

}  // namespace assay::cuda
