#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace emulator {

struct Window {
  std::size_t offset = 0, bytes = 0;
  bool operator==(const Window&) const = default;
};

/// Ranges of at most this many bytes are worked on whole.
inline constexpr std::size_t window_threshold_bytes = std::size_t{4} << 20;

/// The parts of a range that an operation on it touches: all of it up to the threshold; beyond, the first and the last
/// 64 KiB and 8 pieces of 16 KiB between them, at multiples of 4 KiB, ascending, without overlap. A function of the
/// range's length and the seed alone, so that fill, copy and check of ranges of one length meet in the same bytes.
std::vector<Window> windows(std::size_t bytes, std::uint64_t seed);

/// GEMMs of more operations than this work on the rows and inner indices of row_window() only.
inline constexpr double window_threshold_flops = 1e8;
inline constexpr std::size_t row_window_size = 16;

/// 16 neighbouring indices in [0, n) at a seeded place, ascending (all of them when n <= 16).
std::vector<std::size_t> row_window(std::size_t n, std::uint64_t seed);

}  // namespace emulator
