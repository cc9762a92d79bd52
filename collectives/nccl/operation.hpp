#pragma once

#include <memory>
#include <optional>
#include <string>

#include "collectives/nccl/communicator.hpp"
#include "core/case.hpp"
#include "kernels/cuda/kernels.hpp"
#include "kernels/cuda/memory.hpp"

namespace assay::nccl {

/// The arguments of one operation on one rank. `count` elements of `type` in every block.
struct Operands {
  const void* send = nullptr;
  void* receive = nullptr;
  std::size_t count = 0;
  std::size_t block_bytes = 0;
  ncclDataType_t type = ncclUint8;
  int rank = 0;
  int ranks = 0;
  int to = 0;    ///< peer of a point-to-point operation
  int from = 0;  ///< the other one
  ncclComm_t communicator = nullptr;
  cudaStream_t stream = nullptr;
};

enum class Blocks { one, per_rank };
enum class Who { all, root };  ///< the root is rank 0 of the set
enum class Result {
  sum,        ///< block b holds the sum over all ranks of what they have for this rank
  from_rank,  ///< block b holds what rank b has for this rank
  from_root,  ///< what the root has for this rank
  from_peer,  ///< what Operands::from has for this rank
};
enum class Peers {
  none,
  ring,     ///< sends to the next rank and receives from the one before
  partner,  ///< of a set of two nodes: the rank with the GPU of equal number on the other; of two ranks: the other one
};

/// All that tells one operation from another.
///
/// Size and bus factor are those of nccl-tests (src/*.cu, doc/PERFORMANCE.md), n = ranks of the set: S = bytes of the
/// larger of the two buffers of a rank that has both. The axis `bytes` names S; what does not divide is rounded down
/// (block_elements()), and the work of the series is the true S.
struct OperationKind {
  const char* function = "";  ///< as NCCL names it in its debug stream; empty for point-to-point
  Blocks send = Blocks::one;
  Blocks receive = Blocks::one;
  Who senders = Who::all;
  Who receivers = Who::all;
  Result result = Result::from_rank;
  Peers peers = Peers::none;
  double (*bus_factor)(double n) = nullptr;
  ncclResult_t (*call)(const Library& library, const Operands& operands) = nullptr;
};

/// The buffers of an operation on one rank, what is in them, and whether the right thing came.
///
/// In place (send and receive buffer overlap as NCCL allows it) a sum overwrites what it was made of; the contents are
/// then laid down anew before every iteration, outside of the time that is measured.
class Operation {
 public:
  /// `type` counts for sums; everything else moves bytes. Throws Error(environment) when memory is short.
  Operation(const OperationKind& kind, const Context& context, std::size_t bytes, cuda::Dtype type, bool in_place);

  void use(const Communicator& communicator, const cuda::Stream& stream);

  /// Enqueues new contents for a batch; what no operation has written yet holds a pattern that no operation makes.
  void fill(const cuda::Stream& stream);
  /// True when refill() has to come before every iteration.
  [[nodiscard]] bool consumes() const { return in_place_ && kind_.result == Result::sum; }
  void refill(const cuda::Stream& stream);
  void call(const Communicator& communicator) const;
  /// Enqueues the checks of what the last batch left.
  void check(const cuda::Stream& stream, const cuda::TallyCounter& tally) const;
  /// Damages one element that check() looks at; false on a rank that receives nothing.
  [[nodiscard]] bool damage(const cuda::Stream& stream);

  [[nodiscard]] const OperationKind& kind() const { return kind_; }
  /// S.
  [[nodiscard]] double bytes() const;

 private:
  [[nodiscard]] std::size_t blocks(Blocks kind) const;
  [[nodiscard]] bool takes_part(Who who) const { return who == Who::all || operands_.rank == 0; }
  void place_buffers();
  void find_peers(const Context& context);
  /// Seed of what `source` holds for `destination`; for Blocks::one every destination gets the same.
  [[nodiscard]] std::uint64_t seed_of(int source, int destination) const;
  [[nodiscard]] cuda::Contribution contribution(int destination) const;
  [[nodiscard]] std::byte* send_block(std::size_t block) const;
  [[nodiscard]] std::byte* receive_block(std::size_t block) const;

  OperationKind kind_;
  cuda::Dtype type_;
  bool in_place_;
  std::uint64_t seed_;
  std::uint64_t batch_ = 0;
  Operands operands_;
  cuda::Memory first_;
  cuda::Memory second_;
  std::byte* send_ = nullptr;
  std::byte* receive_ = nullptr;
};

/// NCCL's name of a type. Throws Error(environment) for one that it has not.
[[nodiscard]] ncclDataType_t nccl_type(cuda::Dtype type);

/// The partner of member `own` in a set of two nodes or of two ranks.
[[nodiscard]] int partner_of(int own, const std::vector<int>& members, const Layout& layout);

}  // namespace assay::nccl
