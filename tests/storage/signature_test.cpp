#include "storage/signature.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace assay {
namespace {

constexpr std::uint64_t seed = 0x1234;
constexpr std::uint64_t offset = 8 * signed_block_bytes;

std::vector<std::byte> signed_block(const Signature& signature) {
  std::vector<std::byte> memory((signature.filler + 1) * signed_block_bytes);
  write_fillers(memory, signature.seed);
  std::vector<std::byte> block(memory.end() - signed_block_bytes, memory.end());
  sign_block(block, signature);
  return block;
}

TEST(Signature, RightBlockHasNoFault) {
  EXPECT_EQ(find_fault(signed_block({seed, offset, 3, 5}), seed, offset, 3), std::nullopt);
}

TEST(Signature, EveryFlippedBitIsFound) {
  auto block = signed_block({seed, offset, 3, 0});
  for (std::size_t bit = 0; bit < signed_block_bytes * 8; ++bit) {
    block[bit / 8] ^= std::byte{1} << (bit % 8);
    ASSERT_TRUE(find_fault(block, seed, offset, 3)) << "bit " << bit;
    block[bit / 8] ^= std::byte{1} << (bit % 8);
  }
  EXPECT_FALSE(find_fault(block, seed, offset, 3));
}

TEST(Signature, MisplacedBlockNamesBothOffsets) {
  const auto fault = find_fault(signed_block({seed, offset, 3, 0}), seed, offset + signed_block_bytes, 3);
  EXPECT_EQ(fault, "block at byte 36864: holds the block of byte 32768");
}

TEST(Signature, StaleBlockNamesBothGenerations) {
  const auto fault = find_fault(signed_block({seed, offset, 3, 0}), seed, offset, 4);
  EXPECT_EQ(fault, "block at byte 32768: generation 3, expected 4");
}

TEST(Signature, AnotherFilesBlockIsFound) {
  EXPECT_TRUE(find_fault(signed_block({seed + 1, offset, 3, 0}), seed, offset, 3));
}

TEST(Signature, UnwrittenBlockIsFound) {
  const std::vector<std::byte> zeros(signed_block_bytes);
  EXPECT_TRUE(find_fault(zeros, seed, offset, 0));
  EXPECT_TRUE(find_fault(zeros, 0, 0, 0));
}

TEST(Signature, TornBlockIsFoundAtEverySector) {
  const auto before = signed_block({seed, offset, 3, 0});
  const auto after = signed_block({seed, offset, 4, 0});
  for (std::size_t cut = 512; cut < signed_block_bytes; cut += 512) {
    auto torn = before;
    std::copy_n(after.begin(), cut, torn.begin());
    EXPECT_TRUE(find_fault(torn, seed, offset, 4)) << cut;
  }
}

TEST(Signature, FillersDiffer) {
  std::vector<std::byte> memory(16 * signed_block_bytes);
  write_fillers(memory, seed);
  std::set<std::vector<std::byte>> bodies;
  for (std::size_t at = 0; at < memory.size(); at += signed_block_bytes) {
    const auto begin = memory.begin() + static_cast<std::ptrdiff_t>(at);
    bodies.emplace(begin + 32, begin + signed_block_bytes - 8);
  }
  EXPECT_EQ(bodies.size(), 16U);
}

}  // namespace
}  // namespace assay
