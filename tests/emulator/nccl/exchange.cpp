#include "tests/emulator/nccl/exchange.hpp"

#include <algorithm>
#include <cstring>

namespace emulator::nccl {
namespace {

/// Calls part(offset in the buffer, offset in the packed part, bytes) for each piece of the packed range.
template <typename Part>
void for_each_piece(const std::vector<Window>& windows, std::size_t from, std::size_t bytes, Part part) {
  std::size_t start = 0;
  for (const auto& window : windows) {
    const std::size_t first = std::max(from, start), last = std::min(from + bytes, start + window.bytes);
    if (first < last) part(window.offset + (first - start), first - from, last - first);
    start += window.bytes;
  }
}

}  // namespace

void gather_windows(const std::byte* buffer, const std::vector<Window>& windows, std::size_t from, std::size_t bytes,
                    std::byte* packed) {
  for_each_piece(windows, from, bytes, [&](std::size_t at, std::size_t in_part, std::size_t size) {
    std::memcpy(packed + in_part, buffer + at, size);
  });
}

void scatter_windows(const std::byte* packed, const std::vector<Window>& windows, std::size_t from, std::size_t bytes,
                     std::byte* buffer) {
  for_each_piece(windows, from, bytes, [&](std::size_t at, std::size_t in_part, std::size_t size) {
    std::memcpy(buffer + at, packed + in_part, size);
  });
}

Exchange::Exchange(const Area& area, const Operation& operation, int rank, std::uint64_t sequence,
                   const std::atomic<bool>& aborted)
    : area_(&area),
      operation_(&operation),
      rank_(rank),
      parity_(static_cast<int>(sequence & 1)),
      aborted_(&aborted),
      small_(static_cast<std::size_t>(staged_blocks()) * operation.packed_bytes <= Area::small_bytes) {
  constexpr std::size_t largest_element = 16;
  const std::size_t room = Area::stage_bytes / static_cast<std::size_t>(staged_blocks());
  step_ = std::min(operation.packed_bytes, room / largest_element * largest_element);
}

int Exchange::staged_blocks() const {
  const bool blocks =
      kind() == Collective::reduce_scatter || kind() == Collective::all_to_all || kind() == Collective::scatter;
  return blocks ? ranks() : 1;
}

bool Exchange::stages() const {
  return (kind() != Collective::broadcast && kind() != Collective::scatter) || i_am_root();
}

std::byte* Exchange::place(int rank, int block) const {
  std::byte* start = small_ ? area_->small_stage(rank, parity_) : area_->stage(rank);
  return start + static_cast<std::size_t>(block) * step_;
}

std::size_t Exchange::bytes_now() const { return std::min(step_, operation_->packed_bytes - done_); }

void Exchange::wait() { meet(area_->stream_barrier(), ranks(), *aborted_); }

void Exchange::pack(int block) {
  const std::byte* buffer = operation_->send + static_cast<std::size_t>(block) * operation_->block_bytes;
  gather_windows(buffer, operation_->windows, done_, bytes_now(), place(rank_, block));
}

void Exchange::unpack(const std::byte* from, int block) const {
  std::byte* buffer = operation_->receive + static_cast<std::size_t>(block) * operation_->block_bytes;
  scatter_windows(from, operation_->windows, done_, bytes_now(), buffer);
}

void Exchange::stage() {
  if (!stages()) return;
  for (int block = 0; block < staged_blocks(); ++block) pack(block);
}

void Exchange::finish() {
  for (;;) {
    consume();
    done_ += bytes_now();
    const bool last = done_ >= operation_->packed_bytes;
    // The places must not be written again before everyone has read them. Small ones alternate, and those of a
    // reduction have been read when its result is there.
    if (!last || !(small_ || kind() == Collective::all_reduce || kind() == Collective::reduce)) wait();
    if (last) return;
    stage();
    wait();
  }
}

void Exchange::consume() {
  switch (kind()) {
    case Collective::all_reduce:
    case Collective::reduce:
      return small_ ? reduce_all() : reduce_mine();
    case Collective::broadcast:
      return unpack(place(operation_->call.root, 0), 0);
    case Collective::scatter:
      return unpack(place(operation_->call.root, rank_), 0);
    case Collective::gather:
      if (!i_am_root()) return;
      [[fallthrough]];
    case Collective::all_gather:
      for (int rank = 0; rank < ranks(); ++rank) unpack(place(rank, 0), rank);
      return;
    case Collective::all_to_all:
      for (int rank = 0; rank < ranks(); ++rank) unpack(place(rank, rank_), rank);
      return;
    case Collective::reduce_scatter: {
      std::vector<std::byte> result(bytes_now());
      reduce_range(0, bytes_now(), rank_, result.data());
      return unpack(result.data(), 0);
    }
    case Collective::send_recv:
      return;
  }
}

void Exchange::deliver_reduced(const std::byte* result) const {
  if (kind() == Collective::all_reduce || i_am_root()) unpack(result, 0);
}

void Exchange::reduce_all() {
  if (kind() == Collective::reduce && !i_am_root()) return;
  std::vector<std::byte> result(bytes_now());
  reduce_range(0, bytes_now(), 0, result.data());
  deliver_reduced(result.data());
}

/// Each rank reduces its share of the elements for all.
void Exchange::reduce_mine() {
  const std::size_t element = size_of(operation_->call.type), elements = bytes_now() / element;
  const auto n = static_cast<std::size_t>(ranks()), me = static_cast<std::size_t>(rank_);
  const std::size_t from = elements * me / n * element, to = elements * (me + 1) / n * element;
  reduce_range(from, to - from, 0, area_->result() + from);
  wait();
  deliver_reduced(area_->result());
}

void Exchange::reduce_range(std::size_t from, std::size_t bytes, int block, std::byte* result) const {
  std::vector<const std::byte*> sources;
  for (int rank = 0; rank < ranks(); ++rank) sources.push_back(place(rank, block) + from);
  reduce(operation_->call.type, operation_->call.reduction, sources, result, bytes / size_of(operation_->call.type));
}

}  // namespace emulator::nccl
