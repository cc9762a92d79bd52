#include "tests/emulator/cuda/graph.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>

#include "tests/emulator/cuda/contention.hpp"
#include "tests/emulator/cuda/engine.hpp"
#include "tests/emulator/cuda/errors.hpp"
#include "tests/emulator/cuda/faults.hpp"
#include "tests/emulator/cuda/handles.hpp"
#include "tests/emulator/cuda/process.hpp"

namespace emulator {
namespace {

/// From the end of a node to the start of one that waits for it, and of the launch to the first node [s].
constexpr double node_gap_seconds = 0.5e-6, launch_gap_seconds = 2.5e-6;

std::atomic<int> captures{0};  ///< Under way in this process, other than relaxed ones.

struct Launch {
  std::shared_ptr<const CUgraph_st> graph;
  std::vector<MarkerPtr> records;  ///< By node; empty where the node records no event.
};

void run_node(const CUgraphNode_st& node, Execution& execution, double& end) {
  Device& device = execution.stream.device;
  if (node.op.device_work) before_operation(device, node.op.name);
  end = node.op.run ? node.op.run(execution) : execution.start;
}

double run_graph(const Launch& launch, Execution& execution) {
  const auto& nodes = launch.graph->nodes;
  const bool free = process().zero_time();
  std::vector<double> ends(nodes.size());
  double last = execution.start;
  for (std::size_t index = 0; index < nodes.size(); ++index) {
    const CUgraphNode_st& node = *nodes[index];
    double start = execution.start + (free ? 0 : launch_gap_seconds);
    for (const std::size_t before : node.after) start = std::max(start, ends[before] + (free ? 0 : node_gap_seconds));
    Execution part{execution.stream, start, execution.delivered};
    run_node(node, part, ends[index]);
    execution.delivered = part.delivered;
    last = std::max(last, ends[index]);
    if (!launch.records[index]) continue;
    const std::lock_guard lock(process().scheduler().mutex());
    launch.records[index]->time = ends[index];
    launch.records[index]->passed = true;
    launch.records[index]->stream.reset();
  }
  return last;
}

Handles<std::shared_ptr<CUgraph_st>>& graphs() {
  static auto* const made = std::make_unique<Handles<std::shared_ptr<CUgraph_st>>>().release();
  return *made;
}

Handles<std::unique_ptr<CUgraphExec_st>>& executables() {
  static auto* const made = std::make_unique<Handles<std::unique_ptr<CUgraphExec_st>>>().release();
  return *made;
}

std::unique_ptr<CUgraphExec_st> instantiate(const std::shared_ptr<CUgraph_st>& graph) {
  auto made = std::make_unique<CUgraphExec_st>();
  made->graph = graph;
  std::set<int> resources;
  for (const auto& node : graph->nodes) {
    resources.insert(node->op.resources.begin(), node->op.resources.end());
    made->host.insert(made->host.end(), node->op.host.begin(), node->op.host.end());
    made->may_block |= node->op.may_block;
  }
  made->resources.assign(resources.begin(), resources.end());
  return made;
}

void launch_graph(const CUgraphExec_st& executable, Stream& stream) {
  require(!stream.capture, cudaErrorStreamCaptureUnsupported);  // a graph within a graph
  auto launch = std::make_shared<Launch>(Launch{executable.graph, {}});
  for (const auto& node : executable.graph->nodes) {
    MarkerPtr marker;
    if (node->records) {
      marker = std::make_shared<Marker>();
      marker->stream = stream.shared_from_this();
      const std::lock_guard lock(process().scheduler().mutex());
      node->records->capture.reset();
      node->records->last = marker;
    }
    launch->records.push_back(marker);
  }
  process().scheduler().push(stream, {.name = "cudaGraphLaunch",
                                      .run = [launch](Execution& execution) { return run_graph(*launch, execution); },
                                      .resources = executable.resources,
                                      .host = executable.host,
                                      .device_work = false,
                                      .may_block = executable.may_block});
}

}  // namespace

Capture::Capture(Stream& origin, cudaStreamCaptureMode mode) : origin_(origin), mode_(mode) {
  static std::atomic<unsigned long long> last{0};
  id_ = ++last;
  streams_.push_back(origin.shared_from_this());
  if (mode != cudaStreamCaptureModeRelaxed) ++captures;
}

std::size_t Capture::add(Stream& stream, cudaGraphNodeType type, Op op) {
  auto node = std::make_unique<CUgraphNode_st>();
  node->type = type;
  node->op = std::move(op);
  node->after = stream.tips;
  graph_->nodes.push_back(std::move(node));
  stream.tips = {graph_->nodes.size() - 1};
  return graph_->nodes.size() - 1;
}

void Capture::join(Stream& stream, const std::vector<std::size_t>& nodes) {
  if (!stream.capture) {
    stream.capture = origin_.capture;
    stream.tips.clear();
    streams_.push_back(stream.shared_from_this());
  }
  for (const std::size_t node : nodes) {
    if (std::find(stream.tips.begin(), stream.tips.end(), node) == stream.tips.end()) stream.tips.push_back(node);
  }
}

std::shared_ptr<CUgraph_st> Capture::end() {
  const auto keep = origin_.capture;
  if (mode_ != cudaStreamCaptureModeRelaxed) --captures;
  std::set<std::size_t> loose;  // last nodes of other streams that nothing of the origin's comes after
  for (const auto& stream : streams_) loose.insert(stream->tips.begin(), stream->tips.end());
  std::set<std::size_t> reached(origin_.tips.begin(), origin_.tips.end());
  for (std::size_t index = graph_->nodes.size(); index-- > 0;) {
    if (reached.contains(index)) reached.insert(graph_->nodes[index]->after.begin(), graph_->nodes[index]->after.end());
  }
  for (const auto& stream : streams_) {
    stream->capture.reset();
    stream->tips.clear();
  }
  require(valid_, cudaErrorStreamCaptureInvalidated);
  require(std::includes(reached.begin(), reached.end(), loose.begin(), loose.end()), cudaErrorStreamCaptureUnjoined);
  return graph_;
}

void refuse_in_capture(Stream& stream) {
  if (!stream.capture) return;
  stream.capture->invalidate();
  throw ApiError(cudaErrorStreamCaptureUnsupported);
}

void refuse_while_capturing() { require(captures == 0, cudaErrorStreamCaptureUnsupported); }

void submit(Stream& stream, Op op) {
  if (!stream.capture) {
    process().scheduler().push(stream, std::move(op));
    return;
  }
  require(stream.capture->valid(), cudaErrorStreamCaptureInvalidated);
  stream.capture->add(stream, cudaGraphNodeTypeKernel, std::move(op));
}

}  // namespace emulator

using namespace emulator;

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode mode) {
  return api(Needs::device, host_cost::create, [&] {
    Stream& stream = stream_of(handle);
    require(&stream != stream.device.legacy.get(), cudaErrorStreamCaptureUnsupported);
    require(!stream.capture, cudaErrorIllegalState);
    stream.capture = std::make_shared<Capture>(stream, mode);
    stream.tips.clear();
  });
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* graph) {
  return api(Needs::device, host_cost::create, [&] {
    require(graph != nullptr);
    *graph = nullptr;
    Stream& stream = stream_of(handle);
    require(stream.capture != nullptr, cudaErrorIllegalState);
    require(&stream.capture->origin() == &stream, cudaErrorStreamCaptureUnmatched);
    const auto made = stream.capture->end();
    *graph = graphs().add(made);
  });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* status) {
  return api(Needs::device, host_cost::trivial, [&] {
    require(status != nullptr);
    const Stream& stream = stream_of(handle);
    *status = !stream.capture           ? cudaStreamCaptureStatusNone
              : stream.capture->valid() ? cudaStreamCaptureStatusActive
                                        : cudaStreamCaptureStatusInvalidated;
  });
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t handle, cudaStreamCaptureStatus* status, unsigned long long* id,
                                     cudaGraph_t* graph, const cudaGraphNode_t**, const cudaGraphEdgeData**,
                                     std::size_t* dependencies) {
  if (const cudaError_t code = cudaStreamIsCapturing(handle, status); code != cudaSuccess) return code;
  return api(Needs::device, host_cost::trivial, [&] {
    const Stream& stream = stream_of(handle);
    if (!stream.capture) return;
    if (id != nullptr) *id = stream.capture->id();
    if (graph != nullptr) *graph = stream.capture->graph().get();
    if (dependencies != nullptr) *dependencies = stream.tips.size();
  });
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  return api(Needs::nothing, host_cost::trivial, [&] {
    thread_local cudaStreamCaptureMode current = cudaStreamCaptureModeGlobal;
    require(mode != nullptr);
    std::swap(*mode, current);
  });
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long) {
  return api(Needs::device, host_cost::allocate, [&] {
    require(executable != nullptr);
    *executable = executables().add(instantiate(graphs().get(graph)));
  });
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long flags) {
  return cudaGraphInstantiate(executable, graph, flags);
}

cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t stream) {
  return api(Needs::device, host_cost::create, [&] {
    executables().get(executable);
    stream_of(stream);
  });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  return api(Needs::device, host_cost::graph_launch,
             [&] { launch_graph(*executables().get(executable), stream_of(stream)); });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  return api(Needs::driver, host_cost::create, [&] { executables().remove(executable); });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return api(Needs::driver, host_cost::create, [&] { graphs().remove(graph); });
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
  return api(Needs::driver, host_cost::trivial, [&] {
    require(count != nullptr);
    const auto& all = graphs().get(graph)->nodes;
    if (nodes == nullptr) {
      *count = all.size();
      return;
    }
    *count = std::min(*count, all.size());
    for (std::size_t index = 0; index < *count; ++index) nodes[index] = all[index].get();
  });
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
  return api(Needs::driver, host_cost::trivial, [&] {
    require(node != nullptr && type != nullptr);
    *type = node->type;
  });
}
}
