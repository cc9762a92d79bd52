#include "tests/emulator/model/windows.hpp"

#include <algorithm>
#include <numeric>

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

// Neighbours: what a column of a matrix holds of them lies in one page, where sixteen scattered rows would touch the
// whole matrix.
std::vector<std::size_t> row_window(std::size_t n, std::uint64_t seed) {
  const std::size_t places = n / row_window_size;
  std::vector<std::size_t> rows(std::min(n, row_window_size));
  std::iota(rows.begin(), rows.end(), places > 1 ? mix(mix(seed, n), 0) % places * row_window_size : 0);
  return rows;
}

}  // namespace emulator
