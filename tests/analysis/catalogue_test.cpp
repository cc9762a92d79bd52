#include "analysis/catalogue.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "core/error.hpp"

namespace assay {
namespace {

using ::testing::HasSubstr;

TEST(Catalogue, BuiltInHoldsTheWholeFile) {
  const Catalogue& catalogue = builtin_catalogue();
  EXPECT_EQ(catalogue.products.size(), 51u);
  EXPECT_EQ(load_catalogue(std::string(ASSAY_SOURCE_DIR) + "/analysis/catalogue").products.size(), 51u);
  std::set<std::string> names;
  for (const Product& product : catalogue.products) {
    EXPECT_FALSE(product.peaks.empty()) << product.id;
    EXPECT_GT(product.memory_rate, 0) << product.id;
    for (const std::string& name : product.names) EXPECT_TRUE(names.insert(name).second) << name << " stands twice";
  }
}

TEST(Catalogue, NamesMatchAsAWhole) {
  const Catalogue& catalogue = builtin_catalogue();
  ASSERT_NE(catalogue.find("NVIDIA H100 NVL"), nullptr);
  EXPECT_EQ(catalogue.find("NVIDIA H100 NVL")->id, "h100-nvl-94gb");
  EXPECT_EQ(catalogue.find("NVIDIA H100"), nullptr);
  EXPECT_EQ(catalogue.find("NVIDIA GeForce RTX 4090 D")->id, "rtx-4090-d");
  EXPECT_EQ(catalogue.find("NVIDIA GeForce RTX 4090")->id, "rtx-4090");
  EXPECT_EQ(catalogue.find("h100-sxm5-80gb")->names.front(), "NVIDIA H100 80GB HBM3");
}

TEST(Catalogue, FiguresAreInBaseUnitsAndOneWay) {
  const Product& h100 = *builtin_catalogue().find("h100-sxm5-80gb");
  EXPECT_DOUBLE_EQ(h100.peak("bf16"), 989.4e12);
  EXPECT_DOUBLE_EQ(h100.peak("f64"), 66.9e12);  // tensor cores
  EXPECT_DOUBLE_EQ(h100.measured.at("bf16"), 789.2e12);
  EXPECT_DOUBLE_EQ(h100.memory_rate, 3350e9);
  EXPECT_DOUBLE_EQ(h100.nvlink_rate, 450e9);
  EXPECT_EQ(h100.capability, 90);
  EXPECT_DOUBLE_EQ(h100.tensor_boost_hz, 1830e6);
  EXPECT_EQ(h100.least_memory_reported(), std::int64_t{81559} << 20);
  EXPECT_TRUE(std::isnan(builtin_catalogue().find("Tesla T4")->peak("bf16")));
  EXPECT_DOUBLE_EQ(builtin_catalogue().find("rtx-4090")->measured.at("bf16"), 163.1e12);  // median of five
  EXPECT_EQ(builtin_catalogue().find("mi300x")->capability, -1);
}

TEST(Catalogue, LinksScaleWithTheirLanes) {
  const Catalogue& catalogue = builtin_catalogue();
  EXPECT_DOUBLE_EQ(catalogue.pcie_rate(5, 16), 63.015e9);
  EXPECT_DOUBLE_EQ(catalogue.pcie_rate(4, 8), 15.754e9);
  EXPECT_DOUBLE_EQ(catalogue.pcie_reached(5, 16), 50e9);
  EXPECT_TRUE(std::isnan(catalogue.pcie_rate(9, 16)));
  EXPECT_DOUBLE_EQ(catalogue.nvlink_share(4), 0.82);
}

TEST(Catalogue, BadFilesAreNamedWithTheirLine) {
  const auto fault = [](const std::string& gpus) -> std::string {
    try {
      (void)parse_catalogue(gpus, catalogue_text::fabrics, "dir/");
    } catch (const Error& error) {
      return error.what();
    }
    return "no fault";
  };
  EXPECT_THAT(fault("x = ["), HasSubstr("dir/gpus.toml:1: not TOML"));
  EXPECT_THAT(fault("x = 1\n"), HasSubstr("no [[gpu]]"));
  EXPECT_THAT(fault("\n[[gpu]]\nid = \"a\"\n"), HasSubstr("dir/gpus.toml:2: 'name_patterns': no texts"));
  EXPECT_THROW((void)load_catalogue("/nonexistent"), Error);
}

}  // namespace
}  // namespace assay
