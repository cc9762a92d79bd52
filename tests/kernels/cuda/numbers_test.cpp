// What kernels compute with, on the host: the same functions.

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "kernels/cuda/axes.hpp"
#include "kernels/cuda/blas/product.hpp"
#include "kernels/cuda/device/cycle.cuh"
#include "kernels/cuda/device/numbers.cuh"

namespace assay::cuda {
namespace {

constexpr std::array all_types{Dtype::f64, Dtype::f32, Dtype::tf32, Dtype::bf16,
                               Dtype::f16, Dtype::f8,  Dtype::i8,   Dtype::i32};

double there_and_back(Dtype type, double value) {
  std::array<std::byte, 8> place{};
  store_number(type, place.data(), 0, value);
  return load_number(type, place.data(), 0);
}

TEST(NumbersTest, NamesAreTheirOwnInverse) {
  for (const Dtype type : all_types) EXPECT_EQ(parse_dtype(to_string(type)), type);
  EXPECT_FALSE(parse_dtype("f4"));
}

TEST(NumbersTest, WholeNumbersOfReductionsAreExactInEveryType) {
  for (const Dtype type : all_types)
    for (int value = -16; value <= 16; ++value)
      EXPECT_EQ(there_and_back(type, value), value) << to_string(type) << ' ' << value;
}

TEST(NumbersTest, KnownBits) {
  std::uint16_t half = 0;
  store_number(Dtype::f16, &half, 0, -1.5);
  EXPECT_EQ(half, 0xbe00);
  store_number(Dtype::bf16, &half, 0, -1.5);
  EXPECT_EQ(half, 0xbfc0);
  std::uint8_t byte = 0;
  store_number(Dtype::f8, &byte, 0, 0.9375);
  EXPECT_EQ(byte, 0x37);
  byte = 0x7e;
  EXPECT_EQ(load_number(Dtype::f8, &byte, 0), 448);
  byte = 0x01;
  EXPECT_EQ(load_number(Dtype::f8, &byte, 0), 0x1p-9);
  half = 0x0001;
  EXPECT_EQ(load_number(Dtype::f16, &half, 0), 0x1p-24);
}

TEST(NumbersTest, RandomNumbersAreOnesThatTheTypeHasAndUseItsBits) {
  for (const Dtype type : all_types) {
    std::set<double> seen;
    double sum = 0;
    for (std::uint64_t i = 0; i < 4096; ++i) {
      const double value = random_number(type, mixed(7, i));
      ASSERT_EQ(there_and_back(type, value), value) << to_string(type);
      seen.insert(value);
      sum += value;
    }
    EXPECT_GE(seen.size(), 64U) << to_string(type);
    EXPECT_LT(std::abs(sum / 4096), type == Dtype::i8 || type == Dtype::i32 ? 6 : 0.05) << to_string(type);
  }
}

TEST(NumbersTest, TheBoundOfTheCheckGrowsWithCoarserTypes) {
  const auto bound = [](Dtype type) { return freivalds_bound({type, 4096}); };
  EXPECT_EQ(bound(Dtype::i8), 0);
  EXPECT_LT(bound(Dtype::f64), bound(Dtype::f32));
  EXPECT_LT(bound(Dtype::f32), bound(Dtype::tf32));
  EXPECT_LT(bound(Dtype::tf32), bound(Dtype::f16));
  EXPECT_LT(bound(Dtype::f16), bound(Dtype::bf16));
  // Below the size of one row's C x, or it would find nothing.
  for (const Dtype type : all_types) EXPECT_LT(bound(type), 4096.0 / 3) << to_string(type);
}

TEST(CycleTest, GoesThroughEveryLineOnce) {
  for (int power = 3; power <= 12; ++power) {
    const ChaseShape shape{std::uint64_t{1} << power, 99};
    const Cycle cycle(shape);
    std::set<std::uint64_t> visited;
    std::uint64_t line = cycle.line_at(0);
    for (std::uint64_t step = 0; step < shape.lines; ++step) {
      ASSERT_EQ(line, cycle.line_at(step));
      ASSERT_EQ(cycle.step_of(line), step);
      visited.insert(line);
      line = cycle.after(line);
    }
    EXPECT_EQ(visited.size(), shape.lines);
    EXPECT_EQ(line, cycle.line_at(0));
  }
}

TEST(AxesTest, EachGpuAloneOnlyWhereThereAreSeveral) {
  EXPECT_EQ(gpus_axis(Layout::with_gpus(2, 1), Suite::quick).values.size(), 1U);
  EXPECT_EQ(gpus_axis(Layout::with_gpus(2, 4), Suite::quick).values.size(), 5U);
  const Layout two = Layout::with_gpus(2, 2);
  EXPECT_EQ(gpus_sets(two, *Point::parse("gpus:node")), (RankSets{{0, 1}, {2, 3}}));
  EXPECT_EQ(gpus_sets(two, *Point::parse("gpus:1")), (RankSets{{1}, {3}}));
}

}  // namespace
}  // namespace assay::cuda
