#include "tests/emulator/model/windows.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

namespace emulator {
namespace {

constexpr std::size_t mebi = std::size_t{1} << 20;

TEST(Windows, SmallRangesAreWhole) {
  EXPECT_TRUE(windows(0, 1).empty());
  EXPECT_EQ(windows(1, 1), (std::vector<Window>{{0, 1}}));
  EXPECT_EQ(windows(4 * mebi, 1), (std::vector<Window>{{0, 4 * mebi}}));
}

TEST(Windows, LargeRangesAreTwoEdgesAndEightPieces) {
  for (const std::size_t bytes : {4 * mebi + 1, 5 * mebi + 4097, 1024 * mebi, 80 * 1024 * mebi + 3}) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      const auto parts = windows(bytes, seed);
      ASSERT_EQ(parts.size(), 10U);
      EXPECT_EQ(parts.front(), (Window{0, 65536}));
      EXPECT_EQ(parts.back(), (Window{bytes - 65536, 65536}));
      for (std::size_t i = 1; i < parts.size(); ++i)
        EXPECT_GE(parts[i].offset, parts[i - 1].offset + parts[i - 1].bytes);
      for (std::size_t i = 1; i < 9; ++i) {
        EXPECT_EQ(parts[i].bytes, 16384U);
        EXPECT_EQ(parts[i].offset % 4096, 0U);
      }
    }
  }
}

TEST(Windows, DependOnLengthAndSeedOnly) {
  EXPECT_EQ(windows(100 * mebi, 3), windows(100 * mebi, 3));
  EXPECT_NE(windows(100 * mebi, 3), windows(100 * mebi, 4));
  EXPECT_NE(windows(100 * mebi, 3), windows(101 * mebi, 3));
}

TEST(Windows, ThePiecesLieAtPlacesOfTheirOwn) {
  const auto parts = windows(100 * mebi, 3);
  std::set<std::size_t> gaps;
  for (std::size_t i = 2; i < 9; ++i) gaps.insert(parts[i].offset - parts[i - 1].offset);
  EXPECT_GE(gaps.size(), 6U);
}

TEST(RowWindow, HasSixteenNeighbours) {
  for (const std::size_t n : {17U, 100U, 8192U, 1000000U}) {
    const auto rows = row_window(n, 5);
    ASSERT_EQ(rows.size(), row_window_size);
    EXPECT_LT(rows.back(), n);
    EXPECT_EQ(rows.front() % row_window_size, 0U);
    for (std::size_t i = 1; i < rows.size(); ++i) EXPECT_EQ(rows[i], rows[i - 1] + 1);
  }
  std::vector<std::size_t> all(16);
  std::iota(all.begin(), all.end(), 0U);
  EXPECT_EQ(row_window(16, 5), all);
  EXPECT_TRUE(row_window(0, 5).empty());
}

}  // namespace
}  // namespace emulator
