// How operations of a communicator get into streams.
#include <fmt/format.h>

#include "tests/emulator/cuda/engine.hpp"
#include "tests/emulator/model/noise.hpp"
#include "tests/emulator/nccl/collective_run.hpp"
#include "tests/emulator/nccl/communicator.hpp"
#include "tests/emulator/nccl/failure.hpp"
#include "tests/emulator/nccl/message_run.hpp"
#include "tests/emulator/nccl/report.hpp"

namespace emulator::nccl {
namespace {

void expect(bool holds, const std::string& what) {
  if (!holds) throw Failure(ncclInvalidArgument, what);
}

void expect_enqueued(cudaError_t error) {
  if (error != cudaSuccess) throw Failure(ncclUnhandledCudaError, cudaGetErrorString(error));
}

std::vector<int> resources_of(const std::vector<int>& segments, const Shape& shape) {
  std::vector<int> resources;
  for (const int index : segments) {
    const int resource = shape.segments[static_cast<std::size_t>(index)].resource;
    if (resource >= 0) resources.push_back(resource);
  }
  return resources;
}

/// The CPU's address of a buffer; of no bytes, none is needed. A bad address faults when the device comes to it.
const std::byte* alias(const void* pointer, std::size_t bytes, bool& bad) {
  if (bytes == 0) return nullptr;
  const void* found = pointer == nullptr ? nullptr : host_alias(pointer, bytes);
  if (found == nullptr) bad = true;
  return static_cast<const std::byte*>(found);
}

std::byte* alias(void* pointer, std::size_t bytes, bool& bad) {
  if (bytes == 0) return nullptr;
  void* found = pointer == nullptr ? nullptr : host_alias(pointer, bytes);
  if (found == nullptr) bad = true;
  return static_cast<std::byte*>(found);
}

std::shared_ptr<Order::Ticket> ticket_of(const std::shared_ptr<Order>& order, cudaStream_t stream) {
  return is_capturing(stream) ? nullptr : Order::take(order);
}

std::string name_of(const std::vector<Message>& messages) {
  bool sends = false, receives = false;
  for (const auto& message : messages) (message.sends ? sends : receives) = true;
  return sends && receives ? "ncclSendRecv" : sends ? "ncclSend" : "ncclRecv";
}

/// Runs in the stream. An aborted operation ends where it starts, a bad address is the device's fault.
template <typename Body>
double run_unless_aborted(bool bad, double start, Body body) {
  if (bad) throw StreamFault(cudaErrorIllegalAddress);
  try {
    return body();
  } catch (const Aborted&) {
    return start;
  }
}

}  // namespace

const Plan& Communicator::plan(Collective collective, Algorithm algorithm, int root) {
  const bool rooted = collective == Collective::gather || collective == Collective::scatter;
  const std::lock_guard lock(plans_mutex_);
  const std::tuple key{collective, algorithm, rooted ? root : 0};
  const auto found = plans_.find(key);
  if (found != plans_.end()) return found->second;
  return plans_.emplace(key, plan_of(collective, algorithm, shape_, root)).first->second;
}

Estimate Communicator::choose(const Call& call, double bytes) {
  const auto& choice = settings_.choice(call.collective);
  const auto chosen = estimate(call.collective, shape_, bytes, choice, call.root);
  if (chosen) return *chosen;
  const auto set = [](const char* name, const std::string& text) {
    return text.empty() ? "" : fmt::format(" {} was set to {}.", name, text);
  };
  throw Failure(ncclInvalidUsage,
                fmt::format("Error : no algorithm/protocol available for function {} with datatype {}.{}{}",
                            nccl::name_of(call.collective), nccl::name_of(call.type),
                            set("NCCL_ALGO", settings_.algorithm_text), set("NCCL_PROTO", settings_.protocol_text)));
}

Operation Communicator::prepare(const Call& call) {
  expect(size_of(call.type) > 0, fmt::format("type {} unknown", static_cast<int>(call.type)));
  expect(call.root >= 0 && call.root < identity_.ranks,
         fmt::format("invalid root {} (root should be in the 0..{} range)", call.root, identity_.ranks));
  const double size = size_of(call, identity_.ranks);
  const auto chosen = choose(call, size);
  Operation operation{.call = call, .block_bytes = call.count * size_of(call.type), .size = size};
  operation.windows = windows(operation.block_bytes, Cluster::current().seed());
  for (const auto& window : operation.windows) operation.packed_bytes += window.bytes;
  operation.protocol = chosen.protocol;
  operation.plan = &plan(call.collective, chosen.algorithm, call.root);
  return operation;
}

void Communicator::enqueue(const Call& call, cudaStream_t stream) {
  expect_ready();
  Operation operation = prepare(call);
  bool bad = false;
  operation.send = alias(call.send, send_bytes(call, identity_.ranks, identity_.rank), bad);
  operation.receive = alias(call.receive, receive_bytes(call, identity_.ranks, identity_.rank), bad);
  if (call.device_scalar != nullptr) operation.scalar = alias(call.device_scalar, size_of(call.type), bad);
  report_call(*this, operation, sequence_, stream);
  const auto name = fmt::format("nccl{}", nccl::name_of(call.collective));
  auto ticket = ticket_of(order_, stream);
  auto resources = resources_of(operation.plan->announced[static_cast<std::size_t>(identity_.rank)], shape_);
  const auto body = [self = shared_from_this(), operation, ticket, name, bad](double start) {
    return run_unless_aborted(bad, start, [&] {
      const Order::Turn turn(*self->order_, ticket.get(), self->aborted_);
      self->meet_faults(name);
      return CollectiveRun(*self, operation).run(start);
    });
  };
  expect_enqueued(emulator::enqueue(stream, {.name = "", .run = body, .resources = std::move(resources)}));
}

void Communicator::enqueue(std::vector<Message> messages, cudaStream_t stream) {
  expect_ready();
  bool bad = false;
  for (auto& message : messages) {
    expect(size_of(message.type) > 0, "unknown data type");
    expect(message.peer >= 0 && message.peer < identity_.ranks, fmt::format("invalid peer {}", message.peer));
    message.data = alias(message.data, message.bytes, bad);
  }
  const auto announced = segments_of(messages, shape_, identity_.rank);
  auto ticket = ticket_of(order_, stream);
  const auto body = [self = shared_from_this(), messages, announced, ticket, name = name_of(messages),
                     bad](double start) {
    return run_unless_aborted(bad, start, [&] {
      const Order::Turn turn(*self->order_, ticket.get(), self->aborted_);
      self->meet_faults(name);
      return MessageRun(*self, messages).run(start);
    });
  };
  expect_enqueued(emulator::enqueue(stream, {.name = "", .run = body, .resources = resources_of(announced, shape_)}));
}

}  // namespace emulator::nccl
