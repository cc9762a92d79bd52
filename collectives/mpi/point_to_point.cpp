#include "collectives/mpi/point_to_point.hpp"

#include "collectives/mpi/pattern.hpp"

namespace assay::mpi {

namespace {

constexpr int tag = 0;

std::span<std::uint8_t> message(const BufferPool::Block& buffer, std::size_t slot, std::size_t bytes) {
  return buffer.as<std::uint8_t>().subspan(slot * bytes, bytes);
}

}  // namespace

Payload::Payload(Context& context, std::size_t bytes, std::size_t slots, bool sends, bool receives)
    : bytes_(bytes),
      send_slots_(sends ? slots : 0),
      receive_slots_(receives ? slots : 0),
      rank_(context.group.rank()),
      seed_(context.seed) {
  if (sends) send_ = context.buffers.take(bytes * slots);
  if (receives) receive_ = context.buffers.take(bytes * slots);
}

void Payload::prepare() {
  ++batch_;
  for (std::size_t slot = 0; slot < send_slots_; ++slot) {
    const Stream own{seed_, batch_, rank_, static_cast<int>(slot)};
    Tile<std::uint8_t>(own, bytes_).fill(message(send_, slot, bytes_));
  }
  poison({receive_.data(), receive_slots_ * bytes_});
}

Check Payload::verify() const {
  Check check;
  for (std::size_t slot = 0; slot < receive_slots_; ++slot) {
    const Stream theirs{seed_, batch_, 1 - rank_, static_cast<int>(slot)};
    Tile<std::uint8_t>(theirs, bytes_)
        .compare(message(receive_, slot, bytes_), "message", static_cast<int>(slot), check);
  }
  return check;
}

bool Payload::corrupt() { return damage({receive_.data(), receive_slots_ * bytes_}); }

PingPong::PingPong(Context& context, std::size_t bytes, Work work)
    : payload_(context, bytes, 1, true, true),
      work_(work),
      first_(context.group.rank() == 0),
      peer_(1 - context.group.rank()),
      count_(static_cast<int>(bytes)),
      outgoing_(payload_.outgoing(0)),
      incoming_(payload_.incoming(0)),
      communicator_(communicator(context.group)) {}

void PingPong::run() {
  if (first_) {
    check(MPI_Send(outgoing_, count_, MPI_BYTE, peer_, tag, communicator_), "MPI_Send");
    check(MPI_Recv(incoming_, count_, MPI_BYTE, peer_, tag, communicator_, MPI_STATUS_IGNORE), "MPI_Recv");
  } else {
    check(MPI_Recv(incoming_, count_, MPI_BYTE, peer_, tag, communicator_, MPI_STATUS_IGNORE), "MPI_Recv");
    check(MPI_Send(outgoing_, count_, MPI_BYTE, peer_, tag, communicator_), "MPI_Send");
  }
}

}  // namespace assay::mpi
