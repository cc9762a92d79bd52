#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "analysis/offer.hpp"
#include "core/error.hpp"

namespace assay {
namespace {

using ::testing::HasSubstr;

class OfferFile : public ::testing::Test {
 protected:
  OfferFile()
      : directory_(std::filesystem::path(::testing::TempDir()) / ("assay_offer_" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(directory_);
  }
  ~OfferFile() override { std::filesystem::remove_all(directory_); }

  std::filesystem::path write(const std::string& text) const {
    const auto path = directory_ / "offer.toml";
    std::ofstream(path) << text;
    return path;
  }
  static std::string fault_of(const std::filesystem::path& path) {
    try {
      (void)load_offer(path, builtin_clauses());
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::bad_input);
      EXPECT_FALSE(error.hint().empty());
      return error.what();
    }
    return "no fault";
  }
  const std::filesystem::path& directory() const { return directory_; }

 private:
  std::filesystem::path directory_;
};

TEST_F(OfferFile, SoundOneIsRead) {
  EXPECT_EQ(load_offer(write("[node]\ncpu_cores = 2\n"), builtin_clauses()).clauses.size(), 1u);
}

TEST_F(OfferFile, Missing) { EXPECT_THAT(fault_of(directory() / "none.toml"), HasSubstr("none.toml: no such file")); }
TEST_F(OfferFile, Directory) { EXPECT_THAT(fault_of(directory()), HasSubstr("is a directory")); }
TEST_F(OfferFile, DeviceOrPipe) { EXPECT_THAT(fault_of("/dev/zero"), HasSubstr("is not a regular file")); }
TEST_F(OfferFile, Empty) { EXPECT_THAT(fault_of(write("")), HasSubstr("the offer is empty")); }
TEST_F(OfferFile, TooLarge) { EXPECT_THAT(fault_of(write(std::string(2 << 20, '#'))), HasSubstr("larger than 1 MiB")); }

TEST(OfferExamples, BothHaveTheSameClausesAndAreSound) {
  const std::filesystem::path offers = std::filesystem::path(ASSAY_SOURCE_DIR) / "offers";
  const Offer honest = load_offer(offers / "example-host.toml", builtin_clauses());
  const Offer exaggerated = load_offer(offers / "example-host-exaggerated.toml", builtin_clauses());
  ASSERT_EQ(honest.clauses.size(), exaggerated.clauses.size());
  int larger = 0;
  for (std::size_t i = 0; i < honest.clauses.size(); ++i) {
    EXPECT_EQ(honest.clauses[i].key, exaggerated.clauses[i].key);
    if (exaggerated.clauses[i].value != honest.clauses[i].value) ++larger;
  }
  EXPECT_GE(larger, 4);
  EXPECT_LT(larger, static_cast<int>(honest.clauses.size()));
}

}  // namespace
}  // namespace assay
