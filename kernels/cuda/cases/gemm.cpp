// Matrix products by cuBLASLt in the types that the GPUs have: random data, the fastest of the library's proposals.

#include <array>
#include <memory>

#include "core/error.hpp"
#include "core/random.hpp"
#include "core/registry.hpp"
#include "kernels/cuda/axes.hpp"
#include "kernels/cuda/blas/gemm.hpp"
#include "kernels/cuda/stream_case.hpp"

namespace assay::cuda {

namespace {

constexpr std::uint64_t small_order = 4096;   ///< of types whose products take long
constexpr std::uint64_t common_order = 8192;  ///< of types with tensor cores: a millisecond or a few

struct Offered {
  Dtype type;
  Suite from;
};

constexpr std::array<Offered, 7> offered{{{Dtype::bf16, Suite::quick},
                                          {Dtype::f8, Suite::quick},
                                          {Dtype::f64, Suite::quick},
                                          {Dtype::f32, Suite::standard},
                                          {Dtype::tf32, Suite::standard},
                                          {Dtype::f16, Suite::standard},
                                          {Dtype::i8, Suite::standard}}};

Dtype type_of(const Point& point) {
  const auto type = parse_dtype(point.get("dtype"));
  if (!type) throw environment_error("gpu.gemm has no type " + point.get("dtype"));
  return *type;
}

class GemmCase final : public StreamCase {
 public:
  GemmCase(Context& context, const ProductShape& shape)
      : StreamCase(context),
        seed_(mix(context.seed, static_cast<std::uint64_t>(context.group.rank()))),
        gemm_(stream(), shape, seed_),
        flops_(times_ranks(context, shape.flops())) {
    drain("the preparation of matrices");
  }

  Check verify() override { return gemm_.check(stream(), seed_); }

  bool corrupt() override {
    gemm_.damage(stream());
    return true;
  }

  [[nodiscard]] Work work() const override { return {WorkKind::flops, flops_}; }
  [[nodiscard]] std::string method() const override { return gemm_.words(); }

 private:
  void prepare() override { gemm_.poison(stream()); }
  void enqueue() override { gemm_.multiply(stream()); }

  std::uint64_t seed_;
  Gemm gemm_;
  double flops_;
};

std::vector<Axis> axes(const Layout& layout) {
  Axis types{"dtype", {}};
  for (const Offered& one : offered)
    if (layout.gpu.capability >= least_capability(one.type))
      types.values.push_back({std::string(to_string(one.type)), one.from});
  return {{"n", {{"4096"}, {"8192"}, {"16384", Suite::standard}}}, types, gpus_axis(layout, Suite::standard)};
}

RankSets sets(const Layout& layout, const Point& point) {
  const Dtype type = type_of(point);
  const std::uint64_t n = point.integer("n");
  const bool slow = type == Dtype::f64 || type == Dtype::f32;
  const bool usual = n == (slow ? small_order : common_order);
  const bool large = n > common_order && !slow && point.get("gpus") == "node";
  return usual || large ? gpus_sets(layout, point) : RankSets{};
}

const Register registered({
    .name = "gpu.gemm",
    .summary = "Matrix product by cuBLASLt, random data, checked on the GPU",
    .needs = {.gpus = 1},
    .timing = Timing::device,
    .combine = Combine::concurrent,
    .longest_batch = StreamCase::longest_batch,
    .axes = axes,
    .sets = sets,
    .make = [](Context& context, const Point& point) -> std::unique_ptr<Case> {
      return std::make_unique<GemmCase>(context, ProductShape{type_of(point), point.integer("n")});
    },
});

}  // namespace

}  // namespace assay::cuda
