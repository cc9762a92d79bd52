#include "core/random.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(Random, BelowIsUniformWithinItsBound) {
  Random random(1);
  std::vector<int> counts(7);
  for (int i = 0; i < 70'000; ++i) ++counts.at(random.below(7));
  for (const int count : counts) EXPECT_NEAR(count, 10'000, 500);  // five standard deviations
  for (int i = 0; i < 100; ++i) EXPECT_EQ(random.below(1), 0u);
}

TEST(Random, BelowHasNoModuloBiasForHugeBounds) {
  // With the plain remainder of a 64-bit word, values below 2^62 would come twice as often as the others.
  const std::uint64_t bound = 3ULL << 62;
  Random random(2);
  int low = 0;
  for (int i = 0; i < 30'000; ++i) low += random.below(bound) < bound / 3 ? 1 : 0;
  EXPECT_NEAR(low, 10'000, 500);
}

TEST(Random, UniformFillsTheUnitInterval) {
  Random random(3);
  double sum = 0;
  for (int i = 0; i < 10'000; ++i) {
    const double x = random.uniform();
    ASSERT_GE(x, 0);
    ASSERT_LT(x, 1);
    sum += x;
  }
  EXPECT_NEAR(sum / 10'000, 0.5, 0.015);
}

TEST(Random, ShuffleIsASeededPermutation) {
  std::vector<int> values{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  auto shuffled = values;
  Random(4).shuffle(shuffled);
  auto again = values;
  Random(4).shuffle(again);
  EXPECT_EQ(shuffled, again);
  EXPECT_NE(shuffled, values);
  std::sort(shuffled.begin(), shuffled.end());
  EXPECT_EQ(shuffled, values);

  std::set<std::vector<int>> orders;
  Random random(5);
  for (int i = 0; i < 200; ++i) {
    std::vector<int> three{1, 2, 3};
    random.shuffle(three);
    orders.insert(three);
  }
  EXPECT_EQ(orders.size(), 6u);
}

TEST(Random, MixIsSplitmix64) {
  EXPECT_EQ(mix(0, 0), 0xe220a8397b1dcdafULL);  // first output of splitmix64 with state 0
  EXPECT_EQ(mix(0, 1), 0x6e789e6aa1b965f4ULL);  // and the second
  EXPECT_NE(mix(1, 2), mix(2, 1));
}

TEST(Random, HashTextIsFnv1a) {
  // Test vectors of the FNV specification.
  EXPECT_EQ(hash_text(""), 0xcbf29ce484222325ULL);
  EXPECT_EQ(hash_text("a"), 0xaf63dc4c8601ec8cULL);
  EXPECT_EQ(hash_text("foobar"), 0x85944171f73967e8ULL);
}

}  // namespace
}  // namespace assay
