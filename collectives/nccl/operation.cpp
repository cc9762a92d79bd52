#include "collectives/nccl/operation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "collectives/nccl/factors.hpp"
#include "core/error.hpp"
#include "core/random.hpp"
#include "kernels/cuda/check.hpp"

namespace assay::nccl {

namespace {

constexpr int poison = 0xff;
// ncclFloat8e4m3, which headers before 2.24 do not have.
constexpr int number_of_f8 = 10;

void lay_poison(const cuda::Stream& stream, void* at, std::size_t bytes) {
  cuda::check(cudaMemsetAsync(at, poison, bytes, stream.get()), "cudaMemsetAsync");
}

}  // namespace

ncclDataType_t nccl_type(cuda::Dtype type) {
  switch (type) {
    case cuda::Dtype::f64:
      return ncclFloat64;
    case cuda::Dtype::f32:
      return ncclFloat32;
    case cuda::Dtype::bf16:
      return ncclBfloat16;
    case cuda::Dtype::f16:
      return ncclFloat16;
    case cuda::Dtype::i8:
      return ncclInt8;
    case cuda::Dtype::i32:
      return ncclInt32;
    case cuda::Dtype::f8:
      return static_cast<ncclDataType_t>(number_of_f8);
    case cuda::Dtype::tf32:
      break;
  }
  throw environment_error(fmt::format("NCCL has no type {}", cuda::to_string(type)));
}

int partner_of(int own, const std::vector<int>& members, const Layout& layout) {
  const auto index = [&](int member) { return static_cast<std::size_t>(members[static_cast<std::size_t>(member)]); };
  const int size = static_cast<int>(members.size());
  if (size == 2) return 1 - own;
  for (int other = 0; other < size; ++other) {
    if (layout.node_of[index(other)] != layout.node_of[index(own)] &&
        layout.gpu_of[index(other)] == layout.gpu_of[index(own)])
      return other;
  }
  throw environment_error(fmt::format("rank {} has no partner in its set", members[static_cast<std::size_t>(own)]));
}

Operation::Operation(const OperationKind& kind, const Context& context, std::size_t bytes, cuda::Dtype type,
                     bool in_place)
    : kind_(kind), type_(type), in_place_(in_place), seed_(context.seed) {
  const bool sums = kind.result == Result::sum;
  const std::size_t element = sums ? cuda::size_of(type) : 1;
  operands_.rank = context.group.rank();
  operands_.ranks = context.group.size();
  operands_.count = block_elements(bytes, std::max(blocks(kind.send), blocks(kind.receive)), element);
  operands_.block_bytes = operands_.count * element;
  operands_.type = sums ? nccl_type(type) : ncclUint8;
  find_peers(context);
  place_buffers();
}

void Operation::find_peers(const Context& context) {
  const int n = operands_.ranks;
  if (kind_.peers == Peers::ring) {
    operands_.to = (operands_.rank + 1) % n;
    operands_.from = (operands_.rank + n - 1) % n;
  }
  if (kind_.peers == Peers::partner)
    operands_.to = operands_.from = partner_of(operands_.rank, context.members, *context.layout);
}

std::size_t Operation::blocks(Blocks kind) const {
  return kind == Blocks::one ? 1 : static_cast<std::size_t>(operands_.ranks);
}

void Operation::place_buffers() {
  const bool sends = takes_part(kind_.senders);
  const bool receives = takes_part(kind_.receivers);
  const std::size_t send_bytes = sends ? blocks(kind_.send) * operands_.block_bytes : 0;
  const std::size_t receive_bytes = receives ? blocks(kind_.receive) * operands_.block_bytes : 0;
  if (in_place_ && sends && receives) {
    first_ = cuda::Memory(std::max(send_bytes, receive_bytes));
    send_ = receive_ = first_.at();
    // NCCL's rule: the single block lies where this rank's block is among those of all.
    const std::size_t own = static_cast<std::size_t>(operands_.rank) * operands_.block_bytes;
    if (send_bytes < receive_bytes) send_ += own;
    if (receive_bytes < send_bytes) receive_ += own;
  } else {
    if (sends) first_ = cuda::Memory(send_bytes);
    if (receives) second_ = cuda::Memory(receive_bytes);
    send_ = sends ? first_.at() : nullptr;
    receive_ = receives ? second_.at() : nullptr;
  }
  // A rank without one of the buffers still passes a pointer that NCCL may look at.
  operands_.send = send_ != nullptr ? send_ : receive_;
  operands_.receive = receive_ != nullptr ? receive_ : send_;
}

void Operation::use(const Communicator& communicator, const cuda::Stream& stream) {
  operands_.communicator = communicator.get();
  operands_.stream = stream.get();
}

std::uint64_t Operation::seed_of(int source, int destination) const {
  const int to = kind_.send == Blocks::one ? 0 : destination;
  const std::uint64_t ends = (static_cast<std::uint64_t>(source) << 32) | static_cast<std::uint32_t>(to);
  return mix(mix(seed_, batch_), ends);
}

cuda::Contribution Operation::contribution(int destination) const {
  const int to = kind_.send == Blocks::one ? 0 : destination;
  const std::uint64_t first = static_cast<std::uint64_t>(to) * operands_.count;
  return {mix(seed_, batch_), first, operands_.rank, operands_.ranks};
}

std::byte* Operation::send_block(std::size_t block) const { return send_ + block * operands_.block_bytes; }
std::byte* Operation::receive_block(std::size_t block) const { return receive_ + block * operands_.block_bytes; }

void Operation::fill(const cuda::Stream& stream) {
  ++batch_;
  if (receive_ != nullptr) lay_poison(stream, receive_, blocks(kind_.receive) * operands_.block_bytes);
  refill(stream);
}

void Operation::refill(const cuda::Stream& stream) {
  for (std::size_t block = 0; send_ != nullptr && block < blocks(kind_.send); ++block) {
    const int destination = static_cast<int>(block);
    if (kind_.result == Result::sum)
      cuda::fill_contribution(stream, type_, send_block(block), operands_.count, contribution(destination));
    else
      cuda::fill_words(stream, send_block(block), operands_.block_bytes, seed_of(operands_.rank, destination));
  }
}

void Operation::call(const Communicator& communicator) const {
  communicator.check(kind_.call(communicator.library(), operands_), kind_.function);
}

void Operation::check(const cuda::Stream& stream, const cuda::TallyCounter& tally) const {
  for (std::size_t block = 0; receive_ != nullptr && block < blocks(kind_.receive); ++block) {
    if (kind_.result == Result::sum) {
      cuda::check_sum(stream, type_, receive_block(block), operands_.count, contribution(operands_.rank), tally);
      continue;
    }
    const int source = kind_.result == Result::from_rank   ? static_cast<int>(block)
                       : kind_.result == Result::from_peer ? operands_.from
                                                           : 0;
    cuda::check_words(stream, receive_block(block), operands_.block_bytes, seed_of(source, operands_.rank), tally);
  }
}

bool Operation::damage(const cuda::Stream& stream) {
  if (receive_ == nullptr) return false;
  cuda::flip_bit(stream, receive_, 0);
  return true;
}

double Operation::bytes() const {
  return static_cast<double>(operands_.block_bytes * std::max(blocks(kind_.send), blocks(kind_.receive)));
}

}  // namespace assay::nccl
