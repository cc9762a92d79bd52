#pragma once

#include <cstddef>
#include <span>

#include "collectives/mpi/mpi_group.hpp"
#include "core/case.hpp"

namespace assay::mpi {

/// Messages that a rank of a pair sends and expects: `slots` messages of `bytes` each, every one with contents of its
/// own.
class Payload {
 public:
  /// A rank that does not receive checks nothing.
  Payload(Context& context, std::size_t bytes, std::size_t slots, bool sends, bool receives);

  /// New contents to send, poison where messages will arrive.
  void prepare();
  [[nodiscard]] Check verify() const;
  bool corrupt();

  [[nodiscard]] std::byte* outgoing(std::size_t slot) const { return send_.data() + slot * bytes_; }
  [[nodiscard]] std::byte* incoming(std::size_t slot) const { return receive_.data() + slot * bytes_; }

 private:
  std::size_t bytes_;
  std::size_t send_slots_;
  std::size_t receive_slots_;
  int rank_;
  std::uint64_t seed_;
  std::uint64_t batch_ = 0;
  BufferPool::Block send_;
  BufferPool::Block receive_;
};

/// One iteration is one round trip between the two ranks of the group: blocking MPI_Send and MPI_Recv of `bytes` there,
/// then back, from and to separate buffers.
class PingPong final : public Case {
 public:
  PingPong(Context& context, std::size_t bytes, Work work);

  void begin() override { payload_.prepare(); }
  void run() override;
  Check verify() override { return payload_.verify(); }
  bool corrupt() override { return payload_.corrupt(); }
  [[nodiscard]] Work work() const override { return work_; }

 private:
  Payload payload_;
  Work work_;
  bool first_;
  int peer_;
  int count_;
  void* outgoing_;
  void* incoming_;
  MPI_Comm communicator_;
};

}  // namespace assay::mpi
