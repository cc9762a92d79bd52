#include "inventory/text.hpp"

#include <gmock/gmock.h>

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(CpuList, ReadsRangesAndSingles) {
  EXPECT_THAT(*parse_cpu_list("0-3,8,10-11\n"), ElementsAre(0, 1, 2, 3, 8, 10, 11));
  EXPECT_THAT(*parse_cpu_list("5,1"), ElementsAre(1, 5));
  EXPECT_THAT(*parse_cpu_list(""), IsEmpty());
}

TEST(CpuList, RefusesWhatIsNone) {
  for (const auto* text : {"a", "3-1", "1-", "-1", "1,,2", "0-99999999", "1-2-3"}) {
    EXPECT_FALSE(parse_cpu_list(text)) << text;
  }
}

TEST(Integer, TakesOnlyWholeNumbers) {
  EXPECT_EQ(parse_integer("-12"), -12);
  for (const auto* text : {"", "12 ", "1.5", "max", "99999999999999999999"}) EXPECT_FALSE(parse_integer(text)) << text;
}

TEST(Field, FindsTheWholeKeyOnly) {
  const auto* text = "SwapCached:   1 kB\nSwapTotal:\t 7 kB\nmodel name\t: AMD EPYC\n";
  EXPECT_EQ(field(text, "SwapTotal"), "7 kB");
  EXPECT_EQ(field(text, "model name"), "AMD EPYC");
  EXPECT_FALSE(field(text, "Swap"));
}

TEST(Bracketed, TakesTheChosenWord) {
  EXPECT_EQ(bracketed("always [madvise] never"), "madvise");
  EXPECT_FALSE(bracketed("always madvise never"));
  EXPECT_FALSE(bracketed("]["));
}

TEST(Split, KeepsEmptyPieces) {
  EXPECT_THAT(split("a::b:", ':'), ElementsAre("a", "", "b", ""));
  EXPECT_THAT(split("", ':'), IsEmpty());
}

}  // namespace
}  // namespace assay
