#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <thread>
#include <utility>
#include <vector>

#include "tests/emulator/model/cluster.hpp"
#include "tests/emulator/model/windows.hpp"

// Takes the place of kernels/cuda/device/grid.cuh when the kernels are compiled for the emulator: the whole grid is one
// thread, and large ranges shrink to their windows.

namespace assay::cuda {

/// Indices from several pieces, ascending.
class Range {
 public:
  using Piece = std::pair<std::uint64_t, std::uint64_t>;  ///< First, and beyond the last.

  class Iterator {
   public:
    Iterator(const Piece* piece, std::uint64_t at) : piece_(piece), at_(at) {}
    std::uint64_t operator*() const { return at_; }
    Iterator& operator++() {
      if (++at_ == piece_->second) at_ = (++piece_)->first;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return at_ != other.at_ || piece_ != other.piece_; }

   private:
    const Piece* piece_;
    std::uint64_t at_;
  };

  explicit Range(std::vector<Piece> pieces) : pieces_(std::move(pieces)) {
    std::erase_if(pieces_, [](const Piece& piece) { return piece.first >= piece.second; });
    pieces_.emplace_back(0, 0);  // where the end points to
  }
  Iterator begin() const { return {pieces_.data(), pieces_.front().first}; }
  Iterator end() const { return {&pieces_.back(), 0}; }

 private:
  std::vector<Piece> pieces_;
};

inline Range grid_range(std::uint64_t elements, std::uint32_t bytes_each) {
  if (elements * bytes_each <= emulator::window_threshold_bytes) return Range({{0, elements}});
  std::vector<Range::Piece> pieces;
  for (const auto& part : emulator::windows(elements * bytes_each, emulator::Cluster::current().seed())) {
    pieces.emplace_back((part.offset + bytes_each - 1) / bytes_each, (part.offset + part.bytes) / bytes_each);
  }
  return Range(std::move(pieces));
}

inline Range row_range(std::uint64_t rows, double flops) {
  if (flops <= emulator::window_threshold_flops) return Range({{0, rows}});
  std::vector<Range::Piece> pieces;
  for (const std::size_t row : emulator::row_window(rows, emulator::Cluster::current().seed())) {
    pieces.emplace_back(row, row + 1);
  }
  return Range(std::move(pieces));
}

inline Range inner_range(std::uint64_t length, double flops) { return row_range(length, flops); }

inline bool first_thread() { return true; }

inline std::uint64_t block_sum(std::uint64_t value) { return value; }

inline std::uint64_t add_to_counter(std::uint64_t* counter, std::uint64_t value) {
  return __atomic_fetch_add(counter, value, __ATOMIC_SEQ_CST);
}

inline void add_block_to_counter(std::uint64_t* counter, std::uint64_t value) { add_to_counter(counter, value); }

inline std::uint64_t device_nanoseconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

inline unsigned read_host_word(const unsigned* word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }
inline void write_host_word(unsigned* word, unsigned value) { __atomic_store_n(word, value, __ATOMIC_RELEASE); }

inline void pause_between_looks() { std::this_thread::sleep_for(std::chrono::microseconds(100)); }

}  // namespace assay::cuda
