#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "collectives/nccl/communicators.hpp"
#include "collectives/nccl/operation.hpp"
#include "collectives/nccl/trouble.hpp"
#include "core/case.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/cuda/graph.hpp"
#include "kernels/cuda/timer.hpp"

namespace assay::nccl {

/// How iterations follow each other.
enum class Pace {
  queued,         ///< one behind the other in the GPU's queue: the host's part overlaps
  one_at_a_time,  ///< the next one starts when the host has seen the end of the last
  as_graph,       ///< as one_at_a_time, each launched as a graph recorded once
};

struct OperationSetup {
  OperationKind kind;
  std::size_t bytes = 0;
  cuda::Dtype type = cuda::Dtype::f32;
  bool in_place = false;
  std::string algorithm;  ///< value of NCCL_ALGO; empty: free
  Communicators::Keeping keeping = Communicators::Keeping::for_the_run;
  Pace pace = Pace::queued;
  Work work;  ///< amount 0: S of the operation, with its bus factor
};

/// One NCCL operation at a time, each between two events of its rank's GPU. Batches start with a small untimed sum over
/// all ranks, so that no rank's first operation waits for one that is late. Errors are kept until the ranks have
/// agreed at the end of a batch; then all throw, the communicator is aborted and made anew by the next series.
class OperationCase final : public Case {
 public:
  static constexpr std::uint64_t longest_batch = 64;

  /// Collective over context.group; throws on all ranks or on none.
  OperationCase(Context& context, const OperationSetup& setup);

  void begin() override;
  void run() override;
  void end() override;
  void device_seconds(std::span<double> out) override { timer_->seconds(out); }
  Check verify() override;
  bool corrupt() override;
  [[nodiscard]] Work work() const override { return work_; }
  [[nodiscard]] std::string method() const override { return method_; }

 private:
  [[nodiscard]] const cuda::Stream& stream() const { return device_->stream(); }
  void record_graph(const Context& context);
  void wait(Seconds patience) const;
  /// Ends what is under way on this rank, and says how far it had come.
  [[nodiscard]] Progress give_up();
  void describe();

  Context& context_;
  Group& group_;
  std::string place_;
  std::string algorithm_;  ///< pinned; empty: free
  Pace pace_;
  Seconds patience_;
  MonotonicClock clock_;
  cuda::CudaDevice* device_ = nullptr;
  std::optional<cuda::EventTimer> timer_;
  std::optional<cuda::TallyCounter> tally_;
  cuda::Memory aligner_;
  std::shared_ptr<Communicator> communicator_;
  std::unique_ptr<Operation> operation_;
  cuda::Graph graph_;  ///< behind the communicator that it uses
  Work work_;
  Trouble trouble_;
  std::uint64_t queued_ = 0;
  std::string method_;
};

}  // namespace assay::nccl
