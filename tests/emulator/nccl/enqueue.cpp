// How operations of a communicator get into streams.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

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

std::vector<int> resources_of(const std::vector<int>& segments, const Shape& shape) {
  std::vector<int> resources;
  for (const int index : segments) {
    const int resource = shape.segments[static_cast<std::size_t>(index)].resource;
    if (resource >= 0) resources.push_back(resource);
  }
  return resources;
}

/// The CPU's address of a buffer; of no bytes, none is needed. A bad address faults when the device comes to it.
std::byte* alias(const void* pointer, std::size_t bytes, bool& bad) {
  if (bytes == 0) return nullptr;
  void* found = pointer == nullptr ? nullptr : host_alias(pointer, bytes);
  if (found == nullptr) bad = true;
  return static_cast<std::byte*>(found);
}

std::string name_of(const std::vector<Message>& messages) {
  bool sends = false, receives = false;
  for (const auto& message : messages) (message.sends ? sends : receives) = true;
  return sends && receives ? "ncclSendRecv" : sends ? "ncclSend" : "ncclRecv";
}

}  // namespace

const Plan& Communicator::plan(Collective collective, Algorithm algorithm, int root) {
  const bool rooted = collective == Collective::gather || collective == Collective::scatter;
  const std::lock_guard lock(mutex_);
  const std::tuple key{collective, algorithm, rooted ? root : 0};
  const auto found = plans_.find(key);
  if (found != plans_.end()) return found->second;
  return plans_.emplace(key, plan_of(collective, algorithm, shape_, root)).first->second;
}

Estimate Communicator::estimate(const Call& call, double bytes) {
  const auto& choice = settings_.choice(call.collective);
  const auto chosen = nccl::estimate(call.collective, shape_, bytes, choice, call.root);
  if (chosen) return *chosen;
  const auto set = [](const char* name, const std::string& text) {
    return text.empty() ? "" : fmt::format(" {} was set to {}.", name, text);
  };
  throw Failure(ncclInvalidUsage,
                fmt::format("Error : no algorithm/protocol available for function {} with datatype {}.{}{}",
                            nccl::name_of(call.collective), nccl::name_of(call.type),
                            set("NCCL_ALGO", settings_.algorithm_text), set("NCCL_PROTO", settings_.protocol_text)));
}

Operation Communicator::choose(const Call& call) {
  expect(size_of(call.type) > 0, fmt::format("type {} unknown", static_cast<int>(call.type)));
  expect(call.root >= 0 && call.root < identity_.ranks,
         fmt::format("invalid root {} (root should be in the 0..{} range)", call.root, identity_.ranks));
  const double size = size_of(call, identity_.ranks);
  const auto chosen = estimate(call, size);
  Operation operation;
  operation.call = call;
  operation.block_bytes = call.count * size_of(call.type);
  operation.size = size;
  operation.windows = windows(operation.block_bytes, Cluster::current().seed());
  for (const auto& window : operation.windows) operation.packed_bytes += window.bytes;
  operation.protocol = chosen.protocol;
  operation.plan = &plan(call.collective, chosen.algorithm, call.root);
  return operation;
}

Operation Communicator::prepare(const Call& call) {
  expect_ready();
  Operation operation = choose(call);
  operation.send = alias(call.send, send_bytes(call, identity_.ranks, identity_.rank), operation.bad_address);
  operation.receive = alias(call.receive, receive_bytes(call, identity_.ranks, identity_.rank), operation.bad_address);
  if (call.device_scalar != nullptr) {
    operation.scalar = alias(call.device_scalar, size_of(call.type), operation.bad_address);
  }
  return operation;
}

Message Communicator::prepare(bool sends, const void* buffer, std::size_t count, ncclDataType_t type, int peer) {
  expect_ready();
  expect(size_of(type) > 0, fmt::format("type {} unknown", static_cast<int>(type)));
  expect(peer >= 0 && peer < identity_.ranks, fmt::format("invalid peer {}", peer));
  Message message{.sends = sends,
                  .peer = peer,
                  .data = nullptr,
                  .bytes = count * size_of(type),
                  .type = type,
                  .bad_address = false};
  message.data = alias(buffer, message.bytes, message.bad_address);
  return message;
}

void Communicator::submit(const Operation& operation, cudaStream_t stream) {
  report_call(*this, operation, calls_++, stream);
  const auto name = fmt::format("nccl{}", nccl::name_of(operation.call.collective));
  auto resources = resources_of(operation.plan->announced[static_cast<std::size_t>(identity_.rank)], shape_);
  put(stream, name, std::move(resources), [operation](Communicator& communicator, double start) {
    if (operation.bad_address) throw StreamFault(cudaErrorIllegalAddress);
    if (operation.scalar == nullptr) return CollectiveRun(communicator, operation).run(start);
    Operation scaled = operation;
    scaled.call.reduction.scalar = value_of(operation.call.type, operation.scalar);
    return CollectiveRun(communicator, scaled).run(start);
  });
}

void Communicator::submit(const std::vector<Message>& messages, cudaStream_t stream) {
  auto resources = resources_of(segments_of(messages, shape_, identity_.rank), shape_);
  put(stream, name_of(messages), std::move(resources), [messages](Communicator& communicator, double start) {
    if (std::ranges::any_of(messages, &Message::bad_address)) throw StreamFault(cudaErrorIllegalAddress);
    return MessageRun(communicator, messages).run(start);
  });
}

void Communicator::settle() const {
  constexpr std::chrono::milliseconds same_batch{1}, moment{4};
  if (shape_.shared && std::chrono::steady_clock::now() - last_run_ > same_batch) std::this_thread::sleep_for(moment);
}

void Communicator::put(cudaStream_t stream, const std::string& name, std::vector<int> resources,
                       std::function<double(Communicator&, double)> body) {
  auto ticket = is_capturing(stream) ? nullptr : Order::take(order_);
  const auto run = [self = shared_from_this(), ticket, name, body = std::move(body)](double start) {
    try {
      const Order::Turn turn(*self->order_, ticket.get(), self->aborted_);
      self->meet_faults(name);
      self->settle();
      const double end = body(*self, start);
      self->last_run_ = std::chrono::steady_clock::now();
      return end;
    } catch (const Aborted&) {
      return start;
    }
  };
  // Without a name: the engine's named faults would stop the stream for good, while an abort ends this one's (above).
  const auto error = emulator::enqueue(stream, {.name = "", .run = run, .resources = std::move(resources)});
  if (error != cudaSuccess) throw Failure(ncclUnhandledCudaError, cudaGetErrorString(error));
}

}  // namespace emulator::nccl
