#pragma once

#include "tests/emulator/nccl/communicator.hpp"
#include "tests/emulator/nccl/operation.hpp"

namespace emulator::nccl {

/// One execution of a collective by this rank, in the worker of its stream.
class CollectiveRun {
 public:
  CollectiveRun(Communicator& communicator, const Operation& operation)
      : communicator_(&communicator), operation_(&operation) {}
  /// Virtual start to virtual end [s]. The operation starts for all ranks when the last is ready.
  double run(double start);

 private:
  void post(double start);
  void judge();
  [[nodiscard]] double seconds(double start) const;
  [[nodiscard]] double alone(double start) const;
  void report_mismatch(int rank) const;
  void corrupt() const;

  Communicator* communicator_;
  const Operation* operation_;
};

/// Mean share of a NIC that its neighbours leave, over an operation [s].
double share_left(const Nic& nic, double start, double seconds);

}  // namespace emulator::nccl
