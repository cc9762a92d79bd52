#include "core/units.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace assay {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(Units, DividingBytesBySecondsGivesARate) {
  EXPECT_EQ((Bytes(3e9) / Seconds(1.5)).value, 2e9);
  EXPECT_EQ((Bytes(3e9) / BytesPerSecond(2e9)).value, 1.5);
  EXPECT_LT(Seconds(1), Seconds(2));
}

struct NamedScale {
  const char* text;
  Dimension dimension;
  double scale;
};

TEST(Units, ParsesWhatPeopleWrite) {
  const NamedScale expected[] = {
      {"%", Dimension::ratio, 0.01},
      {"cores", Dimension::count, 1},
      {"GB", Dimension::bytes, 1e9},
      {"GiB", Dimension::bytes, 1073741824.0},
      {"TiB", Dimension::bytes, 1099511627776.0},
      {"us", Dimension::seconds, 1e-6},
      {"h", Dimension::seconds, 3600},
      {"GB/s", Dimension::bytes_per_second, 1e9},
      {"GiB/s", Dimension::bytes_per_second, 1073741824.0},
      {"Gbit/s", Dimension::bytes_per_second, 1.25e8},
      {"TFLOP/s", Dimension::flops_per_second, 1e12},
      {"kIOPS", Dimension::operations_per_second, 1e3},
  };
  for (const auto& [text, dimension, scale] : expected) {
    const auto unit = parse_unit(text);
    ASSERT_TRUE(unit.has_value()) << text;
    EXPECT_EQ(unit->dimension, dimension) << text;
    EXPECT_EQ(unit->scale, scale) << text;
  }
}

TEST(Units, RefusesWhatIsMisreadOrUnknown) {
  for (const char* text : {"Gb/s", "Gbps", "gb/s", "KB", "GB/S", "GB /s", " GB", "GB ", "", "FLOPS", "furlong"}) {
    EXPECT_FALSE(parse_unit(text).has_value()) << text;
  }
}

TEST(Units, EveryListedNameParsesInItsDimension) {
  EXPECT_EQ(unit_names(Dimension::bytes), "B, kB, MB, GB, TB, KiB, MiB, GiB, TiB");
  for (int i = 0; i <= static_cast<int>(Dimension::operations_per_second); ++i) {
    const auto dimension = static_cast<Dimension>(i);
    std::string names = unit_names(dimension);
    ASSERT_FALSE(names.empty());
    while (!names.empty()) {
      const std::string name = names.substr(0, names.find(", "));
      const auto unit = parse_unit(name);
      ASSERT_TRUE(unit.has_value()) << name;
      EXPECT_EQ(unit->dimension, dimension) << name;
      names.erase(0, name.size() + 2);
    }
  }
}

TEST(Units, FormatsThreeSignificantDigits) {
  EXPECT_EQ(format_quantity(12.34e9, Dimension::bytes_per_second), "12.3 GB/s");
  EXPECT_EQ(format_quantity(0.41e-6, Dimension::seconds), "0.41 us");
  EXPECT_EQ(format_quantity(1.5 * 1073741824.0, Dimension::bytes), "1.5 GiB");
  EXPECT_EQ(format_quantity(8, Dimension::bytes), "8 B");
  EXPECT_EQ(format_quantity(4096, Dimension::bytes), "4 KiB");
  EXPECT_EQ(format_quantity(85e-9, Dimension::seconds), "85 ns");
  EXPECT_EQ(format_quantity(0.0123, Dimension::seconds), "12.3 ms");
  EXPECT_EQ(format_quantity(90, Dimension::seconds), "90 s");
  EXPECT_EQ(format_quantity(300, Dimension::seconds), "5 min");
  EXPECT_EQ(format_quantity(3 * 3600, Dimension::seconds), "3 h");
  EXPECT_EQ(format_quantity(0.853, Dimension::ratio), "85.3 %");
  EXPECT_EQ(format_quantity(8, Dimension::count), "8");
  EXPECT_EQ(format_quantity(1234567, Dimension::count), "1234567");
  EXPECT_EQ(format_quantity(81.6e9, Dimension::flops_per_second), "81.6 GFLOP/s");
  EXPECT_EQ(format_quantity(123456, Dimension::operations_per_second), "123 kIOPS");
  EXPECT_EQ(to_string(Seconds(0.25)), "250 ms");
}

TEST(Units, FormatStaysReadableAtTheEdges) {
  EXPECT_EQ(format_quantity(nan, Dimension::bytes_per_second), "n/a");
  EXPECT_EQ(format_quantity(nan, Dimension::count), "n/a");
  EXPECT_EQ(format_quantity(0, Dimension::bytes_per_second), "0 B/s");
  EXPECT_EQ(format_quantity(-2.5e9, Dimension::bytes_per_second), "-2.5 GB/s");
  EXPECT_EQ(format_quantity(999.6e6, Dimension::bytes_per_second), "1 GB/s");
  EXPECT_EQ(format_quantity(999.4e6, Dimension::bytes_per_second), "999 MB/s");
  EXPECT_EQ(format_quantity(1023.9 * 1048576, Dimension::bytes), "1 GiB");
  EXPECT_EQ(format_quantity(12345e12, Dimension::bytes_per_second), "12345 TB/s");
  EXPECT_EQ(format_quantity(4e-4, Dimension::bytes_per_second), "0.0004 B/s");
}

TEST(Units, FormatNeverUsesExponentsAndIsWithinHalfAPercent) {
  for (double value = 1e-3; value < 1e18; value *= 1.37) {
    const std::string text = format_quantity(value, Dimension::bytes_per_second);
    EXPECT_EQ(text.find('e'), std::string::npos) << text;
    const auto space = text.find(' ');
    const auto unit = parse_unit(text.substr(space + 1));
    ASSERT_TRUE(unit.has_value()) << text;
    EXPECT_NEAR(std::stod(text) * unit->scale, value, 0.00501 * value) << text;
  }
}

TEST(ParseBytes, AcceptsSizesInWholeBytes) {
  EXPECT_EQ(parse_bytes("0"), 0u);
  EXPECT_EQ(parse_bytes("4096"), 4096u);
  EXPECT_EQ(parse_bytes("64KiB"), 65536u);
  EXPECT_EQ(parse_bytes("4MiB"), 4194304u);
  EXPECT_EQ(parse_bytes("1GB"), 1000000000u);
  EXPECT_EQ(parse_bytes("1GiB"), 1073741824u);
  EXPECT_EQ(parse_bytes("1.5KiB"), 1536u);
  EXPECT_EQ(parse_bytes("0.1GB"), 100000000u);
  EXPECT_EQ(parse_bytes("1.001kB"), 1001u);
  EXPECT_EQ(parse_bytes("18446744073709551615"), 18446744073709551615u);
}

TEST(ParseBytes, RefusesTheRest) {
  for (const char* text : {"",
                           "-1",
                           "+1",
                           "1.5",
                           "1.0001kB",
                           "1.1KiB",
                           "GB",
                           "1Gb",
                           "1GB/s",
                           "1 GB",
                           "1e6",
                           ".5GB",
                           "1.GB",
                           "1..5GB",
                           "0x10",
                           "18446744073709551616",
                           "99999999TiB",
                           "1GBx",
                           "nan",
                           "inf"}) {
    EXPECT_FALSE(parse_bytes(text).has_value()) << text;
  }
}

TEST(ParseDuration, AcceptsPartsInDescendingOrder) {
  EXPECT_EQ(parse_duration("90"), Seconds(90));
  EXPECT_EQ(parse_duration("90s"), Seconds(90));
  EXPECT_EQ(parse_duration("5m"), Seconds(300));
  EXPECT_EQ(parse_duration("1h30m"), Seconds(5400));
  EXPECT_EQ(parse_duration("1h5s"), Seconds(3605));
  EXPECT_EQ(parse_duration("250ms"), Seconds(0.25));
  EXPECT_EQ(parse_duration("1.5h"), Seconds(5400));
  EXPECT_EQ(parse_duration("0"), Seconds(0));
}

TEST(ParseDuration, RefusesTheRest) {
  for (const char* text : {"", "-5", "-5m", "5x", "m", "30m1h", "1h1h", "1h30", "5 m", "5m ", "1e3", "inf", "nan",
                           "5min5", "1m1m", "s5"}) {
    EXPECT_FALSE(parse_duration(text).has_value()) << text;
  }
}

TEST(Units, NamesOfDirectionsRoundTrip) {
  for (const auto direction : {Direction::none, Direction::one_way, Direction::both_ways}) {
    EXPECT_EQ(parse_direction(to_string(direction)), direction);
  }
  EXPECT_FALSE(parse_direction("both").has_value());
  EXPECT_EQ(to_string(Dimension::bytes_per_second), "bytes_per_second");
}

}  // namespace
}  // namespace assay
