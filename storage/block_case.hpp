#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/case.hpp"
#include "core/point.hpp"
#include "storage/block_order.hpp"
#include "storage/io_engine.hpp"
#include "storage/test_file.hpp"

namespace assay {

/// What the storage cases have in common: axes bytes, op, depth, file, ranks, engine.
[[nodiscard]] std::vector<Axis> block_axes(std::string block_bytes, std::vector<AxisValue> depths);
/// ranks:one -> rank 0 alone; ranks:all -> one set that fills the nodes.
[[nodiscard]] RankSets block_sets(const Layout& layout, const Point& point);

struct BlockPattern {
  bool shuffled = false;
  WorkKind work_kind = WorkKind::bytes;
  int transfers = 1;  ///< completed in one iteration
};

/// Block transfers past the page cache (O_DIRECT) on a file per rank, `depth` of them in flight at all times.
///
/// What is counted: one iteration is the time in which `transfers` transfers complete while each completed one is
/// replaced at once, so filling and draining the queue are outside. A write is complete when the device has taken it;
/// its volatile cache may still hold it. The fdatasync that follows every batch is not in the timed window. Blocks are
/// overwritten in place in a file that was fully written before; no allocation or growth is measured.
///
/// Checked: reads, all blocks in the buffers, byte for byte; writes, a seeded sample of the blocks written by this
/// case, read back past the page cache.
class BlockCase final : public Case {
 public:
  BlockCase(const Context& context, const Point& point, const BlockPattern& pattern);

  void begin() override;
  void run() override;
  void end() override;
  Check verify() override;
  bool corrupt() override;
  [[nodiscard]] Work work() const override;

 private:
  void queue_next(int slot);
  int replace_completed(int minimum);
  [[nodiscard]] std::span<std::byte> block_in(int slot) const;
  [[nodiscard]] std::span<std::byte> block_beside_slots() const;
  [[nodiscard]] std::vector<std::uint64_t> sampled_blocks() const;

  BlockPattern pattern_;
  IoOp op_;
  int depth_;
  int ranks_;
  std::size_t block_bytes_;
  std::uint64_t blocks_;
  std::shared_ptr<TestFile> file_;
  BlockOrder order_;
  std::uint64_t first_operation_;
  std::uint64_t next_operation_;
  std::vector<std::uint64_t> offset_in_;  ///< of the last transfer of each slot
  BufferPool::Block buffer_;
  std::unique_ptr<IoEngine> engine_;  ///< goes before the buffer, waiting for what is in flight
  bool first_run_ = true;
  int ahead_ = 0;  ///< completed beyond what the last iteration had to wait for
};

}  // namespace assay
