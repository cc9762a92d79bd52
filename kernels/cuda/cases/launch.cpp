// What it costs to start work: empty kernels one after another, launched one by one or as a graph recorded once. An
// iteration is `starts` of them between two events; the figure is the time of one.

#include <memory>

#include "core/error.hpp"
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
  Launch(Context& context, bool as_graph) : StreamCase(context, Start::at_once), mark_(sizeof(std::uint64_t)) {
    if (as_graph) graph_ = Graph::capture(stream(), [this] { launch_all(); });
    as_graph_ = as_graph;
  }

  // The kernels are empty: a word written after them shows that the stream went through.
  Check verify() override {
    fill_words(stream(), mark_.data(), mark_.size(), ++turn_);
    tally_.clear(stream());
    check_words(stream(), mark_.data(), mark_.size(), turn_ + (damaged_ ? 1 : 0), tally_);
    drain("the check");
    return check_of(tally_.read(stream()));
  }

  bool corrupt() override { return damaged_ = true; }

  [[nodiscard]] Work work() const override { return {WorkKind::latency, starts}; }

 private:
  void enqueue() override {
    if (as_graph_)
      graph_.launch(stream());
    else
      launch_all();
  }
  void launch_all() {
    for (int i = 0; i < starts; ++i) launch_empty(stream());
  }

  Memory mark_;
  TallyCounter tally_;
  Graph graph_;
  bool as_graph_ = false;
  bool damaged_ = false;
  std::uint64_t turn_ = 0;
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
          return std::vector<Axis>{{"kind", {{"kernel"}, {"graph"}}}, gpus_axis(layout, Suite::full)};
        },
    .sets = gpus_sets,
    .make = [](Context& context, const Point& point) -> std::unique_ptr<Case> {
      return std::make_unique<Launch>(context, point.get("kind") == "graph");
    },
});

}  // namespace

}  // namespace assay::cuda
