#include "collectives/nccl/factors.hpp"

#include <gtest/gtest.h>

namespace assay::nccl {
namespace {

TEST(FactorTest, BusFactorsAreThoseOfTheTable) {
  EXPECT_DOUBLE_EQ(factor_all_reduce(2), 1);
  EXPECT_DOUBLE_EQ(factor_all_reduce(8), 1.75);
  EXPECT_DOUBLE_EQ(factor_exchange(8), 0.875);
  EXPECT_DOUBLE_EQ(factor_one(32), 1);
}

TEST(FactorTest, BlocksAreWholeAndNeverEmpty) {
  EXPECT_EQ(block_elements(8, 1, 4), 2U);
  EXPECT_EQ(block_elements(8, 32, 4), 1U);
  EXPECT_EQ(block_elements(1 << 20, 8, 4), 32768U);
  EXPECT_EQ(block_elements(1 << 20, 7, 1) % 16, 0U);
  EXPECT_LE(block_elements(1 << 20, 7, 1) * 7, std::size_t{1} << 20);
  EXPECT_GT((block_elements(1 << 20, 7, 1) + 16) * 7, std::size_t{1} << 20);
}

}  // namespace
}  // namespace assay::nccl
