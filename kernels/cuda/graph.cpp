#include "kernels/cuda/graph.hpp"

#include "kernels/cuda/check.hpp"

namespace assay::cuda {

namespace {

struct DestroyGraph {
  void operator()(cudaGraph_t graph) const noexcept { ignore(cudaGraphDestroy(graph)); }
};
using Recorded = std::unique_ptr<std::remove_pointer_t<cudaGraph_t>, DestroyGraph>;

}  // namespace

void Graph::Destroy::operator()(cudaGraphExec_t graph) const noexcept { ignore(cudaGraphExecDestroy(graph)); }

Graph Graph::capture(const Stream& stream, const std::function<void()>& work) {
  check(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
  cudaGraph_t recorded = nullptr;
  try {
    work();
  } catch (...) {
    ignore(cudaStreamEndCapture(stream.get(), &recorded));
    const Recorded dropped(recorded);
    throw;
  }
  check(cudaStreamEndCapture(stream.get(), &recorded), "cudaStreamEndCapture");
  const Recorded owner(recorded);
  Graph graph;
  cudaGraphExec_t ready = nullptr;
  check(cudaGraphInstantiateWithFlags(&ready, recorded, 0), "cudaGraphInstantiateWithFlags");
  graph.handle_.reset(ready);
  return graph;
}

void Graph::launch(const Stream& stream) const {
  check(cudaGraphLaunch(handle_.get(), stream.get()), "cudaGraphLaunch");
}

}  // namespace assay::cuda
