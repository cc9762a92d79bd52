#include "storage/block_order.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace assay {
namespace {

TEST(BlockOrder, SequentialWrapsAround) {
  const auto order = BlockOrder::sequential(5);
  EXPECT_EQ(order.block_of(3), 3U);
  EXPECT_EQ(order.block_of(12), 2U);
}

TEST(BlockOrder, ShuffledTouchesEveryBlockOnceInEachPass) {
  for (const std::uint64_t blocks : {1U, 2U, 3U, 64U, 1000U, 65536U}) {
    const auto order = BlockOrder::shuffled(blocks, 7);
    std::vector<int> touched(blocks);
    for (std::uint64_t n = 0; n < blocks; ++n) ++touched.at(order.block_of(n));
    EXPECT_EQ(touched, std::vector<int>(blocks, 1)) << blocks;
  }
}

TEST(BlockOrder, PassesGoInTheSameOrder) {
  const auto order = BlockOrder::shuffled(1000, 7);
  for (std::uint64_t n = 0; n < 1000; ++n) ASSERT_EQ(order.block_of(n), order.block_of(n + 3000));
}

TEST(BlockOrder, ShuffledIsFarFromSequential) {
  constexpr std::uint64_t blocks = 65536;
  const auto order = BlockOrder::shuffled(blocks, 7);
  double distance = 0;
  int neighbours = 0;
  for (std::uint64_t n = 0; n + 1 < blocks; ++n) {
    const double step = std::fabs(static_cast<double>(order.block_of(n + 1)) - static_cast<double>(order.block_of(n)));
    distance += step / blocks;
    neighbours += step == 1;
  }
  EXPECT_NEAR(distance / blocks, 1.0 / 3, 0.01);  // of two uniform numbers
  EXPECT_LT(neighbours, 12);                      // 2 expected
}

TEST(BlockOrder, SeedsDiffer) {
  const auto one = BlockOrder::shuffled(65536, 1);
  const auto two = BlockOrder::shuffled(65536, 2);
  int same = 0;
  for (std::uint64_t n = 0; n < 65536; ++n) same += one.block_of(n) == two.block_of(n);
  EXPECT_LT(same, 12);  // 1 expected
}

}  // namespace
}  // namespace assay
