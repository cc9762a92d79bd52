#pragma once

#include <atomic>

#include "tests/emulator/nccl/area.hpp"
#include "tests/emulator/nccl/operation.hpp"

namespace emulator::nccl {

/// Moves the data of one collective between the ranks, through the area they share. Ranges of more than 4 MiB move by
/// their windows only; a range is one rank's block where buffers consist of blocks.
class Exchange {
 public:
  /// `sequence` counts the communicator's collectives.
  Exchange(const Area& area, const Operation& operation, int rank, std::uint64_t sequence,
           const std::atomic<bool>& aborted);

  /// Puts the first part of this rank's data where the others find it. Before the ranks meet.
  void stage();
  /// Takes what this rank receives, and goes on with further parts. After the ranks have met. Throws Aborted.
  void finish();

 private:
  [[nodiscard]] Collective kind() const { return operation_->call.collective; }
  [[nodiscard]] int ranks() const { return area_->ranks(); }
  [[nodiscard]] bool i_am_root() const { return rank_ == operation_->call.root; }
  [[nodiscard]] int staged_blocks() const;
  [[nodiscard]] bool stages() const;
  [[nodiscard]] std::byte* place(int rank, int block) const;
  [[nodiscard]] std::size_t bytes_now() const;
  void wait();
  void pack(int block);
  void unpack(const std::byte* from, int block) const;
  void consume();
  void reduce_all();
  void reduce_mine();
  void reduce_range(std::size_t from, std::size_t bytes, int block, std::byte* result) const;
  void deliver_reduced(const std::byte* result) const;

  const Area* area_;
  const Operation* operation_;
  int rank_, parity_;
  const std::atomic<bool>* aborted_;
  bool small_ = false;
  std::size_t step_ = 0;  ///< Bytes of a block that move in one round.
  std::size_t done_ = 0;  ///< Bytes of a block that have moved.
};

/// Copies the part [from, from + bytes) of the windows' bytes, laid one after the other, out of a buffer or into it.
void gather_windows(const std::byte* buffer, const std::vector<Window>& windows, std::size_t from, std::size_t bytes,
                    std::byte* packed);
void scatter_windows(const std::byte* packed, const std::vector<Window>& windows, std::size_t from, std::size_t bytes,
                     std::byte* buffer);

}  // namespace emulator::nccl
