#include "storage/block_case.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/random.hpp"
#include "storage/signature.hpp"

namespace assay {
namespace {

constexpr std::uint64_t sample_size = 64;

std::string mebibytes(std::uint64_t count) { return std::to_string(count << 20); }

std::uint64_t blocks_in_file(const Point& point) {
  const std::uint64_t block = point.integer("bytes");
  const std::uint64_t depth = point.integer("depth");
  const bool aligned = block > 0 && block % signed_block_bytes == 0;
  if (aligned && depth > 0 && point.integer("file") / block >= 2 * depth) return point.integer("file") / block;
  throw environment_error(fmt::format("storage point {}: sizes do not fit each other", point.text()));
}

}  // namespace

std::vector<Axis> block_axes(std::string block_bytes, std::vector<AxisValue> depths) {
  return {{"bytes", {{std::move(block_bytes)}}},
          {"op", {{"read"}, {"write"}}},
          {"depth", std::move(depths)},
          {"file", {{mebibytes(256)}, {mebibytes(1024), Suite::standard}, {mebibytes(4096), Suite::full}}},
          {"ranks", {{"one"}, {"all"}}},
          {"engine", {{best_io_engine()}}}};
}

RankSets block_sets(const Layout& layout, const Point& point) {
  return point.get("ranks") == "one" ? one_rank(layout) : filling(layout);
}

BlockCase::BlockCase(const Context& context, const Point& point, const BlockPattern& pattern)
    : pattern_(pattern),
      op_(point.get("op") == "read" ? IoOp::read : IoOp::write),
      depth_(static_cast<int>(point.integer("depth"))),
      ranks_(context.group.size()),
      block_bytes_(point.integer("bytes")),
      blocks_(blocks_in_file(point)),
      file_(test_file_of_rank(context, point.integer("file"), point.get("engine"))),
      order_(pattern.shuffled ? BlockOrder::shuffled(blocks_, file_->seed()) : BlockOrder::sequential(blocks_)),
      // Sequential cases start where the file starts, shuffled ones somewhere new each time.
      first_operation_(pattern.shuffled ? mix(file_->seed(), file_->next_use()) % blocks_ : 0),
      next_operation_(first_operation_),
      offset_in_(static_cast<std::size_t>(depth_)),
      buffer_(context.buffers.take(static_cast<std::size_t>(depth_) * block_bytes_ + signed_block_bytes)) {
  const std::span<std::byte> memory{buffer_.data(), static_cast<std::size_t>(depth_) * block_bytes_};
  if (op_ == IoOp::write) write_fillers(memory, file_->seed());
  engine_ = make_io_engine(point.get("engine"),
                           {file_->file().descriptor(), file_->file().path(), memory, block_bytes_, depth_});
}

std::span<std::byte> BlockCase::block_in(int slot) const {
  return {buffer_.data() + static_cast<std::size_t>(slot) * block_bytes_, block_bytes_};
}

std::span<std::byte> BlockCase::block_beside_slots() const {
  return {buffer_.data() + static_cast<std::size_t>(depth_) * block_bytes_, signed_block_bytes};
}

void BlockCase::queue_next(int slot) {
  const std::uint64_t offset = order_.block_of(next_operation_++) * block_bytes_;
  offset_in_[static_cast<std::size_t>(slot)] = offset;
  if (op_ == IoOp::write) {
    file_->sign(block_in(slot), offset, static_cast<std::uint64_t>(slot) * (block_bytes_ / signed_block_bytes));
  }
  engine_->queue(slot, op_, offset);
}

void BlockCase::begin() {
  for (int slot = 0; slot < depth_; ++slot) queue_next(slot);
  engine_->start();
  first_run_ = true;
  ahead_ = 0;
}

int BlockCase::replace_completed(int minimum) {
  try {
    const std::span<const int> slots = engine_->wait(minimum);
    for (const int slot : slots) queue_next(slot);
    return static_cast<int>(slots.size());
  } catch (...) {
    file_->forget();
    throw;
  }
}

void BlockCase::run() {
  // What completed between begin() and now was not timed, so it does not count.
  if (first_run_) replace_completed(0);
  first_run_ = false;
  while (ahead_ < pattern_.transfers) ahead_ += replace_completed(1);
  ahead_ -= pattern_.transfers;
}

void BlockCase::end() {
  try {
    while (engine_->in_flight() > 0) static_cast<void>(engine_->wait(engine_->in_flight()));
    if (op_ == IoOp::write) file_->file().flush();
  } catch (...) {
    file_->forget();
    throw;
  }
}

std::vector<std::uint64_t> BlockCase::sampled_blocks() const {
  const std::uint64_t written = std::min(next_operation_ - first_operation_, blocks_);
  const std::uint64_t parts = block_bytes_ / signed_block_bytes;
  Random random(mix(file_->seed(), next_operation_));
  std::vector<std::uint64_t> offsets;
  for (std::uint64_t i = 0; written > 0 && i < sample_size; ++i) {
    const std::uint64_t operation = next_operation_ - 1 - random.below(written);
    offsets.push_back(order_.block_of(operation) * block_bytes_ + random.below(parts) * signed_block_bytes);
  }
  return offsets;
}

Check BlockCase::verify() {
  Check result;
  if (next_operation_ == first_operation_) return result;
  if (op_ == IoOp::read) {
    for (int slot = 0; slot < depth_; ++slot) {
      file_->check(block_in(slot), offset_in_[static_cast<std::size_t>(slot)], result);
    }
    return result;
  }
  const std::span<std::byte> scratch = block_beside_slots();
  for (const std::uint64_t offset : sampled_blocks()) {
    read_fully(file_->file().descriptor(), file_->file().path(), scratch, offset);
    file_->check(scratch, offset, result);
  }
  return result;
}

bool BlockCase::corrupt() {
  if (next_operation_ == first_operation_) return false;
  const std::uint64_t damaged_byte = mix(file_->seed(), next_operation_) % signed_block_bytes;
  if (op_ == IoOp::read) {
    block_in(0)[damaged_byte] ^= std::byte{1};
    return true;
  }
  const std::span<std::byte> block = block_beside_slots();
  const std::uint64_t offset = sampled_blocks().front();
  read_fully(file_->file().descriptor(), file_->file().path(), block, offset);
  block[damaged_byte] ^= std::byte{1};
  write_fully(file_->file().descriptor(), file_->file().path(), block, offset);
  file_->forget();
  return true;
}

Work BlockCase::work() const {
  const double transfers = static_cast<double>(pattern_.transfers) * ranks_;
  const bool in_bytes = pattern_.work_kind == WorkKind::bytes;
  return {pattern_.work_kind, in_bytes ? transfers * static_cast<double>(block_bytes_) : transfers};
}

}  // namespace assay
