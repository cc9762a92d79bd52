#include <fmt/format.h>

#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "core/random.hpp"
#include "core/registry.hpp"
#include "kernels/host/blas.hpp"
#include "kernels/host/filling.hpp"
#include "kernels/host/gemm_check.hpp"
#include "kernels/host/thread_team.hpp"

namespace assay {
namespace {

std::string kernel_setting(const Context& ctx) {
  const auto found = ctx.settings.find("blas.kernel");
  return found == ctx.settings.end() ? std::string() : found->second;
}

template <class T>
class GemmCase final : public Case {
 public:
  GemmCase(Context& ctx, int order)
      : order_(order),
        cpus_(ctx.cpus),
        seed_(mix(ctx.seed, static_cast<std::uint64_t>(ctx.group.rank()))),
        blas_(kernel_setting(ctx)),
        team_(ctx.cpus),
        memory_(ctx.buffers, team_, 3 * elements() * sizeof(T)),
        flops_(2.0 * order * order * order * cpus_in_set(ctx)) {
    team_.run([this](std::size_t index) {
      const std::uint64_t seed = mix(seed_, index);
      fill_uniform<T>(matrix(index, 0), mix(seed, 0));
      fill_uniform<T>(matrix(index, 1), mix(seed, 1));
      for (T& value : matrix(index, 2)) value = std::numeric_limits<T>::quiet_NaN();
    });
  }

  // Marks on the diagonal that a product has to overwrite, so that an earlier batch's result cannot stand for this
  // one's.
  void begin() override {
    const std::size_t next = static_cast<std::size_t>(order_) + 1;
    for (std::size_t index = 0; index < team_.size(); ++index) {
      for (std::size_t i = 0; i < elements(); i += next) matrix(index, 2)[i] = std::numeric_limits<T>::quiet_NaN();
    }
  }

  void run() override {
    team_.run([this](std::size_t index) {
      blas_.multiply(order_, matrix(index, 0).data(), matrix(index, 1).data(), matrix(index, 2).data());
    });
  }

  Check verify() override {
    return check_on_all(team_, cpus_, [this](std::size_t index) {
      return freivalds(order_, matrix(index, 0).data(), matrix(index, 1).data(), matrix(index, 2).data(),
                       mix(seed_, index + team_.size()));
    });
  }

  bool corrupt() override {
    matrix(team_.size() - 1, 2)[elements() / 2] += T{1};
    return true;
  }

  [[nodiscard]] Work work() const override { return {WorkKind::flops, flops_, Direction::none, 1}; }

 private:
  [[nodiscard]] std::size_t elements() const {
    return static_cast<std::size_t>(order_) * static_cast<std::size_t>(order_);
  }
  /// A, B and C of one CPU for which = 0, 1, 2.
  [[nodiscard]] std::span<T> matrix(std::size_t index, std::size_t which) const {
    return {reinterpret_cast<T*>(memory_.piece(index).data()) + which * elements(), elements()};
  }

  int order_;
  std::vector<int> cpus_;
  std::uint64_t seed_;
  Blas blas_;
  ThreadTeam team_;
  PerCpuMemory memory_;
  double flops_;
};

std::unique_ptr<Case> make_gemm(Context& ctx, const Point& point) {
  const int order = static_cast<int>(point.integer("n"));
  if (point.get("dtype") == "f32") return std::make_unique<GemmCase<float>>(ctx, order);
  return std::make_unique<GemmCase<double>>(ctx, order);
}

const Register registration({
    .name = "host.gemm",
    .summary = "Matrix product of order n on every CPU at once (OpenBLAS, one thread each) or on one alone",
    .needs = {.blas = true},
    .timing = Timing::shared_start,
    .combine = Combine::slowest,
    .barrier_before_each = true,
    .axes =
        [](const Layout& layout) {
          return std::vector<Axis>{
              {"n", {{"1024", Suite::quick}, {"2048", Suite::standard}, {"4096", Suite::full}}},
              {"dtype", {{"f64", Suite::quick}, {"f32", Suite::quick}}},
              ranks_axis(layout),
          };
        },
    .sets = ranks_sets,
    .make = make_gemm,
});

}  // namespace
}  // namespace assay
