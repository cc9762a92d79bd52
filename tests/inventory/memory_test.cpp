#include "inventory/memory.hpp"

#include <gmock/gmock.h>

#include <limits>

#include "tests/inventory/planted_root.hpp"

namespace assay {
namespace {

using assay::testing::PlantedRoot;
using ::testing::HasSubstr;

CgroupLimits memory_limit(double bytes) { return {{}, {}, bytes}; }

void plant_memory(PlantedRoot& root) {
  root.write("/proc/meminfo", "MemTotal:       2113541120 kB\nSwapCached: 5 kB\nSwapTotal:      8388604 kB");
  root.write("/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages", "512");
  root.write("/sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages", "2");
  root.write("/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never");
  root.set_space("/dev/shm", {64'000'000, 1});
}

TEST(Memory, ReadsSizes) {
  PlantedRoot root;
  plant_memory(root);
  const auto memory = read_memory(root, memory_limit(std::numeric_limits<double>::infinity()));
  EXPECT_EQ(memory.installed.value(), 2113541120LL * 1024);
  EXPECT_EQ(memory.granted.value(), memory.installed.value());
  EXPECT_EQ(memory.swap.value(), 8388604LL * 1024);
  EXPECT_EQ(memory.huge_pages.value(), (512LL << 21) + (2LL << 30));
  EXPECT_EQ(memory.transparent_huge_pages.value(), "madvise");
  EXPECT_EQ(memory.shm.value(), 64'000'000);
}

TEST(Memory, GrantIsTheSmallerOfInstalledAndLimit) {
  PlantedRoot root;
  plant_memory(root);
  EXPECT_EQ(read_memory(root, memory_limit(1e9)).granted.value(), 1'000'000'000);
  const auto wide = read_memory(root, memory_limit(1e15));
  EXPECT_EQ(wide.granted.value(), wide.installed.value());
}

TEST(Memory, MissingFilesAreUnknown) {
  const PlantedRoot root;
  const auto memory = read_memory(root, memory_limit(1e9));
  EXPECT_FALSE(memory.installed.known());
  EXPECT_FALSE(memory.granted.known());
  EXPECT_FALSE(memory.swap.known());
  EXPECT_FALSE(memory.huge_pages.known());
  EXPECT_FALSE(memory.transparent_huge_pages.known());
  EXPECT_FALSE(memory.shm.known());
}

TEST(Memory, LimitThatCannotBeReadMakesTheGrantUnknown) {
  PlantedRoot root;
  plant_memory(root);
  const CgroupLimits limits{{}, {}, Fact<double>::unknown("not mounted")};
  const auto memory = read_memory(root, limits);
  EXPECT_TRUE(memory.installed.known());
  EXPECT_EQ(memory.granted.why(), "not mounted");
}

TEST(Limits, ReadsTheSoftLimit) {
  PlantedRoot root;
  root.write("/proc/self/limits",
             "Limit                     Soft Limit           Hard Limit           Units     \n"
             "Max open files            1024                 1048576              files     \n"
             "Max locked memory         unlimited            unlimited            bytes     ");
  const auto limits = read_limits(root);
  EXPECT_EQ(limits.nofile.value(), 1024);
  EXPECT_EQ(limits.memlock.value(), LimitFacts::unlimited);
}

TEST(Limits, MissingIsUnknown) {
  PlantedRoot root;
  EXPECT_FALSE(read_limits(root).memlock.known());
  root.write("/proc/self/limits", "Max open files            1024                 1048576              files");
  EXPECT_THAT(read_limits(root).memlock.why(), HasSubstr("Max locked memory"));
}

}  // namespace
}  // namespace assay
