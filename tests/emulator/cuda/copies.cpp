#include "tests/emulator/cuda/copies.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "tests/emulator/cuda/contention.hpp"
#include "tests/emulator/cuda/delivery.hpp"
#include "tests/emulator/cuda/engine.hpp"
#include "tests/emulator/cuda/errors.hpp"
#include "tests/emulator/cuda/graph.hpp"
#include "tests/emulator/cuda/streams.hpp"
#include "tests/emulator/cuda/timing.hpp"
#include "tests/emulator/model/routes.hpp"

namespace emulator {
namespace {

/// Pageable host memory: up to this many bytes to the device are taken along when the call is made.
constexpr std::size_t staged_bytes = 64 * 1024;
/// What the way through the driver's own pinned buffers leaves of the rate.
constexpr double pageable_share = 0.45;
constexpr int poison = 0xcb;

struct Plan {
  Endpoint from, to;
  std::size_t bytes = 0;
  Route route;  ///< Of what leaves the card; unused within one card.
  double share = 1;
  bool within_card = false, within_host = false;
};

void check_kind(const Plan& plan, cudaMemcpyKind kind) {
  switch (kind) {
    case cudaMemcpyDefault:
      return;
    case cudaMemcpyHostToHost:
      return require(!plan.from.on_device() && !plan.to.on_device());
    case cudaMemcpyHostToDevice:
      return require(!plan.from.on_device() && plan.to.on_device());
    case cudaMemcpyDeviceToHost:
      return require(plan.from.on_device() && !plan.to.on_device());
    case cudaMemcpyDeviceToDevice:
      return require(plan.from.place != Place::pageable && plan.to.place != Place::pageable);
  }
  throw ApiError(cudaErrorInvalidMemcpyDirection);
}

Plan plan_copy(void* destination, const void* source, std::size_t bytes, cudaMemcpyKind kind) {
  require(destination != nullptr && source != nullptr);
  Plan plan{.from = endpoint_at(source, bytes), .to = endpoint_at(destination, bytes), .bytes = bytes, .route = {}};
  check_kind(plan, kind);
  const bool out = plan.from.on_device(), in = plan.to.on_device();
  plan.within_host = !out && !in;
  plan.within_card = out && in && plan.from.gpu == plan.to.gpu;
  if (out && in && !plan.within_card) {
    plan.route = peer_route(*plan.from.gpu, *plan.to.gpu);
  } else if (out != in) {
    const Gpu& gpu = out ? *plan.from.gpu : *plan.to.gpu;
    plan.route = host_route(gpu, numa_node_of(out ? plan.to.at : plan.from.at, gpu), in);
    if (plan.from.place == Place::pageable || plan.to.place == Place::pageable) plan.share = pageable_share;
  }
  return plan;
}

double copy_seconds(const Plan& plan, Stream& stream) {
  if (plan.within_host) return host_copy_seconds(plan.bytes);
  if (plan.within_card) return card_copy_seconds(stream, *plan.from.gpu, plan.bytes);
  return transfer_seconds(stream, plan.route, static_cast<double>(plan.bytes) / plan.share);
}

void move_bytes(std::byte* to, const std::byte* from, std::size_t bytes) {
  for (const Window& part : touched(bytes)) std::memmove(to + part.offset, from + part.offset, part.bytes);
}

/// Until somebody waits for it, the destination holds a pattern instead of what it held before.
void spoil(const Plan& plan) {
  for (const Window& part : touched(plan.bytes)) std::memset(plan.to.at + part.offset, poison, part.bytes);
}

/// Asynchronous, into pinned host memory: held back until the host synchronises.
void deliver(const Plan& plan, Execution& execution) {
  execution.delivered = std::max(execution.delivered, execution.stream.deliveries) + 1;
  process().deliveries().hold(execution.stream.id, execution.delivered, plan.to.at, plan.from.at, plan.bytes);
  if (process().strict()) spoil(plan);
}

Op copy_op(const Plan& plan, bool held_back) {
  Op op{.name = "cudaMemcpy",
        .run =
            [plan, held_back](Execution& execution) {
              if (held_back) {
                deliver(plan, execution);
              } else {
                move_bytes(plan.to.at, plan.from.at, plan.bytes);
              }
              return execution.start + copy_seconds(plan, execution.stream);
            },
        .resources = plan.route.resources};
  if (!plan.from.on_device()) op.host.push_back({plan.from.at, plan.bytes});
  if (!plan.to.on_device()) op.host.push_back({plan.to.at, plan.bytes});
  return op;
}

void push_and_wait(Stream& stream, Op op) {
  refuse_in_capture(stream);
  submit(stream, std::move(op));
  process().raise(process().scheduler().finish(stream));
  const int fault = stream.device.fault;
  require(fault == cudaSuccess, static_cast<cudaError_t>(fault));
}

/// Small data from pageable memory: the call takes it along, so that the application may overwrite it at once.
void push_staged(Stream& stream, Plan plan) {
  const auto data = std::make_shared<std::vector<std::byte>>(plan.from.at, plan.from.at + plan.bytes);
  plan.from.at = data->data();
  Op op = copy_op(plan, false);
  op.host.clear();
  op.run = [data, run = std::move(op.run)](Execution& execution) { return run(execution); };
  submit(stream, std::move(op));
}

}  // namespace

Endpoint endpoint_at(const void* address, std::size_t bytes) {
  auto* at = static_cast<std::byte*>(const_cast<void*>(address));
  const auto block = process().memory().find(address);
  if (!block) return {.at = at, .block = {}};
  const auto offset = static_cast<std::size_t>(at - block->base);
  require(bytes <= block->bytes - offset);
  return {.place = block->place,
          .gpu = block->gpu,
          .device = block->device,
          .imported = block->imported,
          .at = block->alias + offset,
          .block = *block};
}

bool reachable(const Device& device, const Block& block) {
  if (block.place != Place::device) return true;
  if (block.device == device.ordinal) return true;  // also what it has opened of other processes
  return !block.imported && (device.peers.load() >> block.device & 1) != 0;
}

void copy(Stream& stream, void* destination, const void* source, std::size_t bytes, cudaMemcpyKind kind,
          bool asynchronous) {
  if (bytes == 0) return;
  const Plan plan = plan_copy(destination, source, bytes, kind);
  const bool to_pageable = plan.to.place == Place::pageable, from_pageable = plan.from.place == Place::pageable;
  if (to_pageable || (from_pageable && (!asynchronous || plan.bytes > staged_bytes))) {
    push_and_wait(stream, copy_op(plan, false));
  } else if (from_pageable) {
    push_staged(stream, plan);
  } else if (asynchronous) {
    const bool held_back = plan.to.place == Place::pinned;
    const bool spoil_now =
        held_back && process().strict() && !stream.capture && !process().scheduler().in_use({plan.to.at, plan.bytes});
    submit(stream, copy_op(plan, held_back));
    if (spoil_now) spoil(plan);
  } else if (plan.from.on_device() && plan.to.on_device()) {
    refuse_in_capture(stream);
    submit(stream, copy_op(plan, false));  // within devices, the host does not wait
  } else {
    push_and_wait(stream, copy_op(plan, false));
  }
}

void fill(Stream& stream, void* destination, int value, std::size_t bytes) {
  if (bytes == 0) return;
  const Endpoint to = endpoint_at(destination, bytes);
  require(to.place != Place::pageable);
  require(reachable(stream.device, to.block));
  Op op{.name = "cudaMemset", .run = [to, value, bytes](Execution& execution) {
          for (const Window& part : touched(bytes)) std::memset(to.at + part.offset, value, part.bytes);
          return execution.start + fill_seconds(execution.stream, bytes);
        }};
  if (!to.on_device()) op.host.push_back({to.at, bytes});
  submit(stream, std::move(op));
}

}  // namespace emulator
