// Memory of the GPU as STREAM counts it: every array read or written once counts its bytes once.

#include <fmt/format.h>

#include <memory>

#include "core/error.hpp"
#include "core/random.hpp"
#include "core/registry.hpp"
#include "kernels/cuda/axes.hpp"
#include "kernels/cuda/check.hpp"
#include "kernels/cuda/kernels.hpp"
#include "kernels/cuda/stream_case.hpp"

namespace assay::cuda {

namespace {

constexpr std::size_t piece = 16;  ///< bytes of one access

enum class Op { read, copy, triad };

Op op_named(const std::string& name) {
  if (name == "read") return Op::read;
  if (name == "copy") return Op::copy;
  if (name == "triad") return Op::triad;
  throw environment_error("gpu.memory has no op " + name);
}

std::size_t arrays_of(Op op) { return op == Op::read ? 1 : op == Op::copy ? 2 : 3; }

class MemoryCase final : public StreamCase {
 public:
  MemoryCase(Context& context, Op op, std::size_t bytes)
      : StreamCase(context),
        op_(op),
        bytes_(bytes),
        seed_(mix(context.seed, static_cast<std::uint64_t>(context.group.rank()))),
        memory_(bytes * arrays_of(op)),
        moved_(times_ranks(context, static_cast<double>(bytes * arrays_of(op)))) {
    if (op == Op::triad)
      fill_triad(stream(), array(1), array(2), bytes_, seed_);
    else
      fill_words(stream(), op == Op::read ? array(0) : array(1), bytes_, seed_);
    drain("the preparation of arrays");
  }

  Check verify() override {
    check_.clear(stream());
    if (op_ == Op::triad)
      check_triad(stream(), array(0), factor_, bytes_, seed_, check_);
    else
      check_words(stream(), array(0), bytes_, seed_, check_);
    if (op_ == Op::read) sum_pattern(stream(), bytes_, seed_, check_);
    const Tally tally = check_.read(stream());
    Check result = check_of(tally);
    if (op_ != Op::read) return result;
    const std::uint64_t sum = sum_.read(stream()).sum;
    if (sum == tally.sum * passes_) return result;
    ++result.wrong;
    result.first = fmt::format("sum of {} passes is {:x}, expected {:x}", passes_, sum, tally.sum * passes_);
    return result;
  }

  bool corrupt() override {
    flip_bit(stream(), array(0), 1);
    return true;
  }

  [[nodiscard]] Work work() const override { return {WorkKind::bytes, moved_}; }

 private:
  [[nodiscard]] std::byte* array(std::size_t index) const { return memory_.at(index * bytes_); }

  void prepare() override {
    passes_ = 0;
    if (op_ == Op::read)
      sum_.clear(stream());
    else
      cuda::check(cudaMemsetAsync(array(0), 0xff, bytes_, stream().get()), "cudaMemsetAsync");
  }

  void enqueue() override {
    ++passes_;
    factor_ = factor_ >= 7 ? 1 : factor_ + 1;
    if (op_ == Op::read) cuda::read(stream(), array(0), bytes_, sum_);
    if (op_ == Op::copy) cuda::copy(stream(), array(0), array(1), bytes_);
    if (op_ == Op::triad) cuda::triad(stream(), array(0), array(1), array(2), factor_, bytes_);
  }

  Op op_;
  std::size_t bytes_;
  std::uint64_t seed_;
  Memory memory_;
  TallyCounter sum_;
  TallyCounter check_;
  double moved_;
  double factor_ = 0;  ///< of triad; another one in each iteration
  std::uint64_t passes_ = 0;
};

std::vector<Axis> axes(const Layout& layout) {
  constexpr std::int64_t gibibyte = std::int64_t{1} << 30;
  Axis bytes{"bytes", {{"16777216", Suite::full}, {"67108864", Suite::full}}};
  // Three arrays have to fit into half of what is free; a small card takes smaller ones.
  const bool roomy = layout.gpu.memory_bytes >= 6 * gibibyte;
  bytes.values.push_back({"268435456", roomy ? Suite::full : Suite::quick});
  if (roomy) bytes.values.push_back({"1073741824"});
  if (layout.gpu.memory_bytes >= 24 * gibibyte) bytes.values.push_back({"4294967296", Suite::full});
  return {bytes, {"op", {{"read"}, {"triad"}, {"copy", Suite::standard}}}, gpus_axis(layout, Suite::full)};
}

const Register registered({
    .name = "gpu.memory",
    .summary = "Bandwidth of the GPU's memory as STREAM counts it; bytes = one array",
    .needs = {.gpus = 1},
    .timing = Timing::device,
    .combine = Combine::concurrent,
    .longest_batch = StreamCase::longest_batch,
    .axes = axes,
    .sets = gpus_sets,
    .make = [](Context& context, const Point& point) -> std::unique_ptr<Case> {
      const std::uint64_t bytes = point.integer("bytes");
      if (bytes % piece != 0) throw environment_error("gpu.memory takes multiples of 16 bytes");
      return std::make_unique<MemoryCase>(context, op_named(point.get("op")), bytes);
    },
});

}  // namespace

}  // namespace assay::cuda
