#pragma once

namespace assay {

/// Faults in MPI itself, by its profiling interface: this program's MPI_Allreduce and others stand before the
/// library's.
enum class Fault {
  none,
  nothing_moves,      ///< data calls return success and do nothing
  last_rank_missing,  ///< sums lack what the last rank gave
  late_change,        ///< messages arrive with one bit of the first byte turned
};

/// Puts a fault in place while it lives.
class Planted {
 public:
  explicit Planted(Fault fault);
  Planted(const Planted&) = delete;
  Planted& operator=(const Planted&) = delete;
  ~Planted();
};

}  // namespace assay
