#pragma once

#include <cstddef>

#include "collectives/mpi/mpi_group.hpp"
#include "core/case.hpp"

namespace assay::mpi {

/// The arguments of one collective call. `count` elements of `type` in every block.
struct Operands {
  void* send = nullptr;
  void* receive = nullptr;
  int count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Comm communicator = MPI_COMM_NULL;
};

enum class Blocks { one, per_rank };

/// What block b of the receive buffer holds.
enum class Result {
  sum,        ///< the sum over all ranks of what they hold for this rank
  from_rank,  ///< what rank b holds for this rank
  from_root,  ///< what rank 0 holds; rank 0 itself receives nothing, and its `receive` is its send buffer
};

/// All that tells one collective from another.
///
/// Size and bus factor are those of nccl-tests (src/*.cu, doc/PERFORMANCE.md), n = ranks of the set:
///   S = bytes of the larger of the two buffers of a rank (`send` or `receive` blocks x count x type),
///   algbw = S / t, busbw = algbw x factor, t = slowest rank's time of one call.
/// The axis `bytes` names S. Where it is not a multiple of blocks x type it is rounded down, to one element per
/// block at least; the work of the series is the true S.
struct Collective {
  const char* name;
  const char* summary;
  Blocks send = Blocks::one;
  Blocks receive = Blocks::one;
  Result result = Result::from_rank;
  double (*bus_factor)(double n) = nullptr;
  void (*call)(const Operands&) = nullptr;
};

/// 2(n-1)/n, (n-1)/n and 1: bytes each rank has to send, over S, in an optimal algorithm without in-network reduction.
[[nodiscard]] double factor_all_reduce(double n);
[[nodiscard]] double factor_exchange(double n);
[[nodiscard]] double factor_one(double n);

/// Elements in each of `blocks` blocks for a total of `bytes`: rounded down, at least 1.
[[nodiscard]] std::size_t block_elements(std::size_t bytes, std::size_t blocks, std::size_t element_bytes);

/// The description to register. Axes: bytes, dtype (for sums), ranks.
[[nodiscard]] CaseInfo describe(const Collective& collective);

}  // namespace assay::mpi
