#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <vector>

#include "tests/emulator/cuda/streams.hpp"

/// A node of a graph; its address is the handle.
struct CUgraphNode_st {
  cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
  emulator::Op op;
  std::vector<std::size_t> after;                 ///< Places of the nodes that come before it.
  std::shared_ptr<emulator::EventState> records;  ///< Event to record when it is run (cudaEventRecordExternal).
};

struct CUgraph_st {
  std::vector<std::unique_ptr<CUgraphNode_st>> nodes;
};

struct CUgraphExec_st {
  std::shared_ptr<const CUgraph_st> graph;
  std::vector<int> resources;
  std::vector<emulator::HostRange> host;
  bool may_block = false;
};

namespace emulator {

/// A capture that is under way; may span streams joined by events.
class Capture {
 public:
  Capture(Stream& origin, cudaStreamCaptureMode mode);

  [[nodiscard]] Stream& origin() const { return origin_; }
  [[nodiscard]] cudaStreamCaptureMode mode() const { return mode_; }
  [[nodiscard]] bool valid() const { return valid_; }
  void invalidate() { valid_ = false; }
  [[nodiscard]] unsigned long long id() const { return id_; }
  [[nodiscard]] const std::shared_ptr<CUgraph_st>& graph() const { return graph_; }

  std::size_t add(Stream& stream, cudaGraphNodeType type, Op op);
  void join(Stream& stream, const std::vector<std::size_t>& nodes);
  /// Ends it: the streams are set free. Throws ApiError when the graph is not sound.
  std::shared_ptr<CUgraph_st> end();

 private:
  Stream& origin_;
  cudaStreamCaptureMode mode_;
  unsigned long long id_;
  bool valid_ = true;
  std::shared_ptr<CUgraph_st> graph_ = std::make_shared<CUgraph_st>();
  std::vector<std::shared_ptr<Stream>> streams_;
};

/// Throws ApiError when the stream captures: the call cannot be part of a graph, and the capture is lost.
void refuse_in_capture(Stream& stream);
/// The same for calls that no capture of this thread allows, such as cudaMalloc (cudaErrorStreamCaptureUnsupported).
void refuse_while_capturing();

}  // namespace emulator
