#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "tests/emulator/model/windows.hpp"

namespace emulator {

/// How many deliveries of which streams lie before a point: stream id -> count.
class Frontier {
 public:
  void raise(std::uint64_t stream, std::uint64_t count);
  void merge(const Frontier& other);
  [[nodiscard]] bool covers(std::uint64_t stream, std::uint64_t count) const;
  [[nodiscard]] bool empty() const { return entries_.empty(); }

 private:
  std::vector<std::pair<std::uint64_t, std::uint64_t>> entries_;
};

/// Parts of a range that an operation on it touches.
std::vector<Window> touched(std::size_t bytes);

/// What asynchronous copies have brought to pinned host memory, held back until the host synchronises with them (or
/// another operation that comes after them reads host memory): a host that does not wait sees the old bytes, always.
class Deliveries {
 public:
  /// Takes the bytes of `source` for `destination`; `number` counts the stream's deliveries.
  void hold(std::uint64_t stream, std::uint64_t number, std::byte* destination, const std::byte* source,
            std::size_t bytes);
  /// Hands over everything that lies before the frontier, in the order in which it came.
  void release(const Frontier& frontier);
  void release_all();

 private:
  struct Held {
    std::uint64_t stream = 0, number = 0;
    std::byte* destination = nullptr;
    std::size_t bytes = 0;
    std::vector<std::byte> data;  ///< The touched parts, one after the other.
  };
  static void hand_over(const Held& held);

  std::mutex mutex_;
  std::vector<Held> held_;
  std::size_t held_bytes_ = 0;
};

}  // namespace emulator
