#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <memory>
#include <type_traits>

#include "kernels/cuda/stream.hpp"

namespace assay::cuda {

/// Work recorded once and launched as a whole.
class Graph {
 public:
  Graph() = default;
  /// Records what `work` puts into the stream instead of running it. An error of `work` ends the recording and is
  /// thrown on.
  [[nodiscard]] static Graph capture(const Stream& stream, const std::function<void()>& work);
  void launch(const Stream& stream) const;

 private:
  struct Destroy {
    void operator()(cudaGraphExec_t graph) const noexcept;
  };
  std::unique_ptr<std::remove_pointer_t<cudaGraphExec_t>, Destroy> handle_;
};

}  // namespace assay::cuda
