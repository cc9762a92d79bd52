// What GPU cases need beside GPUs: NCCL of a version that is of use, an MPI library that takes GPU memory.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"
#include "launcher/run/nccl_version.hpp"
#include "launcher/run/plan.hpp"

namespace assay {
namespace {

using testing::HasSubstr;

TEST(NcclVersionTest, IsCountedAsNcclCounts) {
  EXPECT_EQ(nccl_version_of("2.28.9"), 22809);
  EXPECT_EQ(nccl_version_of("2.18.1"), 21801);
  EXPECT_EQ(nccl_version_of("2.18"), 21800);
  for (const char* text : {"", "two", "2.x", "2.28.9+cuda13", "99999999999"})
    EXPECT_EQ(nccl_version_of(text), 0) << text;
}

TEST(NcclVersionTest, ProblemsAreOneSentence) {
  EXPECT_EQ(nccl_problem_of({"nccl", "2.28.9", "/lib/libnccl.so.2"}), "");
  EXPECT_EQ(nccl_problem_of({"nccl", "2.18.1", "/lib/libnccl.so.2"}), "");
  EXPECT_EQ(nccl_problem_of({"nccl", "2.16.2", "/lib/libnccl.so.2"}),
            "NCCL 2.16.2 (/lib/libnccl.so.2) is too old; 2.18 is the first that is of use");
  EXPECT_EQ(nccl_problem_of({"nccl", "", "libnccl.so.2: cannot open"}), "no NCCL: libnccl.so.2: cannot open");
}

std::string reason_for(const Needs& needs, const Layout& layout) {
  Registry registry;
  CaseInfo info;
  info.name = "test.case";
  info.needs = needs;
  info.axes = [](const Layout&) { return std::vector<Axis>{}; };
  info.make = [](Context&, const Point&) { return std::unique_ptr<Case>(); };
  registry.add(info);
  try {
    (void)make_plan(registry, RunOptions{}, layout);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(GpuNeedsTest, MissingPartsAreTheReason) {
  Layout layout = Layout::with_gpus(1, 2);
  EXPECT_EQ(reason_for({.gpus = 2, .nccl = true}, layout), "");
  EXPECT_EQ(reason_for({.gpus = 2, .mpi_on_device = true}, layout), "");
  layout.gpu.nccl = false;
  layout.gpu.mpi_takes_device_memory = false;
  EXPECT_THAT(reason_for({.gpus = 2, .nccl = true}, layout), HasSubstr("needs NCCL 2.18 or later"));
  EXPECT_THAT(reason_for({.gpus = 2, .mpi_on_device = true}, layout), HasSubstr("CUDA-aware"));
}

}  // namespace
}  // namespace assay
