#pragma once

#include <functional>
#include <string>

#include "core/group.hpp"
#include "kernels/cuda/memory.hpp"

namespace assay::cuda {

/// What `step` threw, in words; empty when it did not. For steps before a communication that other ranks wait for.
[[nodiscard]] std::string problem_of(const std::function<void()>& step);

/// A block of this rank's GPU and the same of the other rank of a pair on the node, reached directly. Made and
/// destroyed by both ranks together.
class PeerLink {
 public:
  /// `own` is this rank's block, or an empty one and the `problem` that kept it from being made. Throws
  /// Error(environment) on both ranks when either has a problem or cannot reach the other's memory.
  PeerLink(Group& pair, Memory own, const std::string& problem);
  PeerLink(const PeerLink&) = delete;
  PeerLink& operator=(const PeerLink&) = delete;
  /// Waits for the other rank, since memory has to outlive its users.
  ~PeerLink();

  [[nodiscard]] void* own() const { return own_.data(); }
  [[nodiscard]] void* peer() const { return peer_.data(); }

 private:
  void agree(const std::string& problem);

  Group& pair_;
  Memory own_;
  PeerMemory peer_;
};

}  // namespace assay::cuda
