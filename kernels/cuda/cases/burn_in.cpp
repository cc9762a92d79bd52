// The same matrix product again and again, every result held bit by bit against the first: a GPU that computes silently
// wrong under load shows it here. How long: the time of the series (--budget, --filter gpu.burn_in).

#include <memory>

#include "core/error.hpp"
#include "core/random.hpp"
#include "core/registry.hpp"
#include "kernels/cuda/axes.hpp"
#include "kernels/cuda/blas/gemm.hpp"
#include "kernels/cuda/check.hpp"
#include "kernels/cuda/stream_case.hpp"

namespace assay::cuda {

namespace {

constexpr std::uint64_t order = 8192;
constexpr std::uint64_t small_order = 4096;

std::uint64_t order_for(Dtype type) { return type == Dtype::f64 || type == Dtype::f32 ? small_order : order; }

class BurnIn final : public StreamCase {
 public:
  BurnIn(Context& context, Dtype type)
      : StreamCase(context),
        gemm_(stream(), {type, order_for(type)}, mix(context.seed, static_cast<std::uint64_t>(context.group.rank()))),
        first_(gemm_.result_bytes()),
        flops_(times_ranks(context, gemm_.shape().flops())) {
    cuda::check(cudaMemsetAsync(first_.data(), 0xff, first_.size(), stream().get()), "cudaMemsetAsync");
    gemm_.multiply_into(stream(), first_.data());
    tally_.clear(stream());
    drain("the first pass");
  }

  // Every pass was compared when it was done; the last one is compared once more, and with the product itself.
  Check verify() override {
    compare();
    Check result = check_of(tally_.read(stream()));
    const Check product = gemm_.check(stream(), 1);
    result.checked += product.checked;
    result.wrong += product.wrong;
    if (result.first.empty()) result.first = product.first;
    return result;
  }

  bool corrupt() override {
    gemm_.damage(stream());
    return true;
  }

  [[nodiscard]] Work work() const override { return {WorkKind::flops, flops_}; }
  [[nodiscard]] std::string method() const override { return gemm_.words(); }

 private:
  void prepare() override { gemm_.poison(stream()); }
  void enqueue() override {
    gemm_.multiply(stream());
    compare();
  }
  void compare() {
    const ProductShape& shape = gemm_.shape();
    compare_matrix(stream(), {shape.result_type(), gemm_.result().data(), shape.c()}, first_.data(), shape.flops(),
                   tally_);
  }

  Gemm gemm_;
  Memory first_;
  double flops_;
  TallyCounter tally_;
};

const Register registered({
    .name = "gpu.burn_in",
    .summary = "Matrix products under full load, each result compared bit by bit with the first",
    .needs = {.gpus = 1},
    .timing = Timing::device,
    .combine = Combine::concurrent,
    .longest_batch = StreamCase::longest_batch,
    .axes =
        [](const Layout& layout) {
          Axis types{"dtype", {}};
          for (const Dtype type : {Dtype::bf16, Dtype::f8, Dtype::f64, Dtype::f32})
            if (layout.gpu.capability >= least_capability(type))
              types.values.push_back({std::string(to_string(type)), Suite::full});
          return std::vector<Axis>{types, {"gpus", {{"node", Suite::full}}}};
        },
    .sets = gpus_sets,
    .make = [](Context& context, const Point& point) -> std::unique_ptr<Case> {
      const auto type = parse_dtype(point.get("dtype"));
      if (!type) throw environment_error("gpu.burn_in has no type " + point.get("dtype"));
      return std::make_unique<BurnIn>(context, *type);
    },
});

}  // namespace

}  // namespace assay::cuda
