// What it costs to start work: empty kernels one after another, launched one by one or as a graph recorded once. An
// iteration is `starts` of them between two events; the figure is the time of one.

#include <memory>
#include <optional>

#include "core/registry.hpp"
#include "kernels/cuda/axes.hpp"
#include "kernels/cuda/check.hpp"
#include "kernels/cuda/graph.hpp"
#include "kernels/cuda/kernels.hpp"
#include "kernels/cuda/stream_case.hpp"

namespace assay::cuda {

namespace {

constexpr int starts = 32;
constexpr std::uint64_t longest = 8;

class Launch final : public StreamCase {
 public:
  Launch(Context& context, bool as_graph)
      : StreamCase(context, Start::at_once), seed_(context.seed), mark_(sizeof(std::uint64_t)) {
    if (as_graph) graph_ = Graph::capture(stream(), [this] { launch_all(); });
  }

  Check verify() override {
    tally_.clear(stream());
    check_words(stream(), mark_.data(), mark_.size(), seed_, tally_);
    return check_of(tally_.read(stream()));
  }

  bool corrupt() override {
    flip_bit(stream(), mark_.data(), 0);
    return true;
  }

  [[nodiscard]] Work work() const override { return {WorkKind::latency, starts}; }

 private:
  void prepare() override {
    cuda::check(cudaMemsetAsync(mark_.data(), 0, mark_.size(), stream().get()), "cudaMemsetAsync");
    drain("the preparation of a batch");
  }

  void enqueue() override {
    if (graph_)
      graph_->launch(stream());
    else
      launch_all();
  }

  // The last kernel of a chain leaves a mark that shows that the chain was gone through.
  void launch_all() {
    for (int i = 1; i < starts; ++i) launch_empty(stream());
    fill_words(stream(), mark_.data(), mark_.size(), seed_);
  }

  std::uint64_t seed_;
  Memory mark_;
  TallyCounter tally_;
  std::optional<Graph> graph_;
};

const Register registered({
    .name = "gpu.launch",
    .summary = "Time of one empty kernel in a queue, launched by the host or as part of a graph",
    .needs = {.gpus = 1},
    .timing = Timing::device,
    .combine = Combine::slowest,
    .longest_batch = longest,
    .axes =
        [](const Layout& layout) {
          return std::vector<Axis>{{"kind", {{"kernel"}, {"graph", Suite::standard}}}, gpus_axis(layout, Suite::full)};
        },
    .sets = gpus_sets,
    .make = [](Context& context, const Point& point) -> std::unique_ptr<Case> {
      return std::make_unique<Launch>(context, point.get("kind") == "graph");
    },
});

}  // namespace

}  // namespace assay::cuda
