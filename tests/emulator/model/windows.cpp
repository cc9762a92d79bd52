#include "tests/emulator/model/windows.hpp"

#include <algorithm>
#include <set>

#include "tests/emulator/model/noise.hpp"

namespace emulator {
namespace {

constexpr std::size_t edge_bytes = std::size_t{64} << 10;
constexpr std::size_t piece_bytes = std::size_t{16} << 10;
constexpr std::size_t page_bytes = std::size_t{4} << 10;
constexpr std::size_t pieces = 8;

}  // namespace

std::vector<Window> windows(std::size_t bytes, std::uint64_t seed) {
  if (bytes == 0) return {};
  if (bytes <= window_threshold_bytes) return {{0, bytes}};
  // One piece in each eighth of what lies between the edges: they cannot overlap, and none of the range is far away.
  std::vector<Window> result{{0, edge_bytes}};
  const std::size_t first_page = edge_bytes / page_bytes;
  const std::size_t part_pages = (bytes - 2 * edge_bytes) / page_bytes / pieces;
  const std::size_t choices = part_pages - piece_bytes / page_bytes + 1;
  for (std::size_t i = 0; i < pieces; ++i) {
    const std::size_t page = first_page + i * part_pages + mix(mix(seed, bytes), i) % choices;
    result.push_back({page * page_bytes, piece_bytes});
  }
  result.push_back({bytes - edge_bytes, edge_bytes});
  return result;
}

// Runs of neighbours: what a matrix column holds of them lies in three pages, not in sixteen.
std::vector<std::size_t> row_window(std::size_t n, std::uint64_t seed) {
  std::set<std::size_t> rows;
  const auto run = [&](std::size_t first, std::size_t count) {
    for (std::size_t row = first; row < std::min(n, first + count); ++row) rows.insert(row);
  };
  if (n <= row_window_size) {
    run(0, n);
  } else {
    constexpr std::size_t edge = row_window_size / 4, middle = row_window_size / 2;
    run(0, edge);
    run(edge + mix(mix(seed, n), 0) % (n - 2 * edge - middle + 1), middle);
    run(n - edge, edge);
  }
  return {rows.begin(), rows.end()};
}

}  // namespace emulator
