#include "tests/emulator/model/product.hpp"

#include <gtest/gtest.h>

namespace emulator {
namespace {

TEST(Products, AllOfTheCatalogueAreUsable) {
  ASSERT_GE(products().size(), 40U);
  for (const auto& product : products()) {
    SCOPED_TRACE(product.id);
    EXPECT_GT(product.sm_count, 0);
    EXPECT_GT(product.memory_rate, 1e11);
    EXPECT_GT(product.memory_bytes, std::uint64_t{10} << 30);
    EXPECT_GT(product.peak(Type::fp32), 1e12);
    EXPECT_GE(product.compute_major, 7);
    EXPECT_GE(product.pcie_gen, 3);
    EXPECT_GT(product.tdp_watts, 0);
    for (std::size_t i = 0; i < type_count; ++i) {
      EXPECT_GT(product.fractions[i], 0.5) << name_of(static_cast<Type>(i));
      EXPECT_LT(product.fractions[i], 1.3) << name_of(static_cast<Type>(i));
    }
  }
}

TEST(Products, FactsOfTheA100) {
  const auto* product = find_product("a100-sxm4-80gb");
  ASSERT_NE(product, nullptr);
  EXPECT_EQ(product->name, "NVIDIA A100-SXM4-80GB");
  EXPECT_EQ(product->sm_count, 108);
  EXPECT_EQ(product->compute_major, 8);
  EXPECT_EQ(product->compute_minor, 0);
  EXPECT_EQ(product->memory_bytes, std::uint64_t{81920} << 20);
  EXPECT_EQ(product->nvlink_links, 12);
  EXPECT_DOUBLE_EQ(product->nvlink_rate_per_link, 25e9);
  EXPECT_DOUBLE_EQ(product->peak(Type::bf16), 312e12);
  EXPECT_DOUBLE_EQ(product->peak(Type::fp8), 0);
  EXPECT_NEAR(product->peak(Type::bf16) * product->healthy(Type::bf16), 264.5e12, 1e6);
}

TEST(Products, ConsumerCardsAreKnown) {
  EXPECT_TRUE(find_product("rtx-4090")->consumer);
  EXPECT_FALSE(find_product("l40s")->consumer);
  EXPECT_EQ(find_product("no-such-card"), nullptr);
}

}  // namespace
}  // namespace emulator
