#include "core/buffer.hpp"

#include <cstdint>
#include <limits>
#include <utility>

#include <gtest/gtest.h>

#include "core/error.hpp"

namespace assay {
namespace {

constexpr std::size_t mib = std::size_t{1} << 20;

TEST(BufferPool, GivesAlignedMemoryOfTheSizeAsked) {
  BufferPool pool;
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{4096}, 3 * mib, 8 * mib}) {
    const auto block = pool.take(bytes);
    EXPECT_EQ(block.size(), bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block.data()) % (2 * mib), 0u);
    block.data()[0] = block.data()[bytes - 1] = std::byte{1};
    EXPECT_EQ(block.as<double>().size(), bytes / sizeof(double));
    EXPECT_GE(pool.bytes_held(), bytes);
  }
  EXPECT_EQ(pool.take(0).size(), 0u);
}

TEST(BufferPool, ReusesTheSmallestFreeBlockThatFits) {
  BufferPool pool;
  const std::byte* small = nullptr;
  const std::byte* large = nullptr;
  {
    const auto a = pool.take(4 * mib);
    const auto b = pool.take(8 * mib);
    small = a.data();
    large = b.data();
  }
  const std::size_t held = pool.bytes_held();
  const auto four = pool.take(4 * mib);
  EXPECT_EQ(four.data(), small);
  const auto again = pool.take(4 * mib);  // twice as large is the limit, and just allowed
  EXPECT_EQ(again.data(), large);
  EXPECT_EQ(again.size(), 4 * mib);
  EXPECT_EQ(pool.bytes_held(), held);
}

TEST(BufferPool, DoesNotWasteABlockMoreThanTwiceAsLarge) {
  BufferPool pool;
  static_cast<void>(pool.take(16 * mib));
  const auto block = pool.take(4 * mib);
  EXPECT_EQ(pool.bytes_held(), 20 * mib);
}

TEST(BufferPool, ABlockOnLoanIsNobodyElses) {
  BufferPool pool;
  auto first = pool.take(2 * mib);
  const auto second = pool.take(2 * mib);
  EXPECT_NE(first.data(), second.data());
  const std::byte* data = first.data();
  BufferPool::Block moved = std::move(first);
  EXPECT_EQ(moved.data(), data);
  EXPECT_NE(pool.take(2 * mib).data(), data);
  moved = pool.take(2 * mib);  // gives the old one back
  EXPECT_EQ(pool.take(2 * mib).data(), data);
}

TEST(BufferPool, TrimGivesBackWhatIsFreeOnly) {
  BufferPool pool;
  const auto kept = pool.take(4 * mib);
  static_cast<void>(pool.take(8 * mib));
  EXPECT_EQ(pool.bytes_held(), 12 * mib);
  pool.trim();
  EXPECT_EQ(pool.bytes_held(), 4 * mib);
  kept.data()[4 * mib - 1] = std::byte{7};
}

TEST(BufferPool, SaysWhenThereIsNoMemory) {
  BufferPool pool;
  for (const std::size_t bytes : {std::size_t{1} << 60, std::numeric_limits<std::size_t>::max()}) {
    try {
      static_cast<void>(pool.take(bytes));
      FAIL() << "no error for " << bytes;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::environment);
      EXPECT_FALSE(error.hint().empty());
    }
  }
  EXPECT_EQ(pool.bytes_held(), 0u);
}

}  // namespace
}  // namespace assay
