#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "core/error.hpp"
#include "inventory/shared_library.hpp"
#include "launcher/run/gpu_plugin.hpp"

namespace assay {
namespace {

using ::testing::HasSubstr;

std::filesystem::path folder(const std::string& kind) {
  const auto program = std::filesystem::read_symlink("/proc/self/exe");
  return program.parent_path().parent_path() / "tests" / "launcher" / ("plugin_" + kind);
}

TEST(GpuPlugin, AddsItsCasesToTheProgramsRegistryAndShowsItsDevices) {
  Registry registry;
  const GpuPlugin plugin = GpuPlugin::load(registry, {folder("good")});
  EXPECT_EQ(plugin.why_not(), "");
  EXPECT_EQ(plugin.built(), "a test");
  ASSERT_NE(registry.find("made.up"), nullptr);
  ASSERT_EQ(plugin.devices().size(), 1u);
  EXPECT_TRUE(plugin.backend()->emulated());
  // An error that crosses the border is the program's own type.
  EXPECT_THROW((void)plugin.backend()->open(0), Error);
}

TEST(GpuPlugin, OfAnotherBuildIsRefusedBeforeItRegistersAnything) {
  Registry registry;
  const GpuPlugin plugin = GpuPlugin::load(registry, {folder("other_build")});
  EXPECT_THAT(plugin.why_not(), HasSubstr("belongs to another build ('0.0.1 of last year'"));
  EXPECT_TRUE(registry.cases().empty());
  EXPECT_EQ(plugin.backend(), nullptr);
}

TEST(GpuPlugin, WithoutItsEntryIsRefused) {
  Registry registry;
  EXPECT_THAT(GpuPlugin::load(registry, {folder("empty")}).why_not(), HasSubstr("has no function assay_plugin"));
}

TEST(GpuPlugin, ThatIsAbsentSaysSoInOneSentence) {
  Registry registry;
  const GpuPlugin plugin = GpuPlugin::load(registry, {"/nowhere"});
  EXPECT_THAT(plugin.why_not(), HasSubstr("built without CUDA"));
  EXPECT_TRUE(plugin.devices().empty());
}

TEST(SharedLibrary, NamesTheFirstNameWhenNoneOpens) {
  try {
    (void)SharedLibrary::open({"libnot_there.so.1", "libneither.so"}, {"/tmp"});
    FAIL() << "opened a library that does not exist";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("libnot_there.so.1"));
    EXPECT_EQ(error.code(), ExitCode::environment);
  }
}

TEST(SharedLibrary, FindsSymbolsAndItsFile) {
  const SharedLibrary math = SharedLibrary::open({"libm.so.6"});
  const auto cosine = math.find<double (*)(double)>("cos");
  ASSERT_NE(cosine, nullptr);
  EXPECT_DOUBLE_EQ(cosine(0), 1);
  EXPECT_EQ(math.find("no_such_function"), nullptr);
  EXPECT_THAT(math.file(), HasSubstr("libm"));
}

}  // namespace
}  // namespace assay
