#include "inventory/mounts.hpp"

#include <gmock/gmock.h>

#include "tests/inventory/planted_root.hpp"

namespace assay {
namespace {

using assay::testing::PlantedRoot;

std::vector<Mount> mounts_from(std::string_view text) {
  PlantedRoot root;
  root.write("/proc/self/mountinfo", text);
  return read_mounts(root);
}

TEST(Mounts, ReadsFieldsWithAndWithoutOptionalOnes) {
  const auto mounts = mounts_from(
      "20 1 8:2 / / rw,relatime shared:1 master:2 - ext4 /dev/sda2 rw,discard\n"
      "21 20 0:40 /export /mnt/my\\040data rw - nfs4 nas:/export rw,vers=4.2\n"
      "too short a line - x");
  ASSERT_EQ(mounts.size(), 2U);
  EXPECT_EQ(mounts[0].file_system, "ext4");
  EXPECT_EQ(mounts[0].device_number, "8:2");
  EXPECT_EQ(mounts[1].point, "/mnt/my data");
  EXPECT_EQ(mounts[1].source, "nas:/export");
  EXPECT_EQ(mount_option(mounts[1], "vers"), "4.2");
  EXPECT_EQ(mount_option(mounts[1], "ver"), "");
}

TEST(Mounts, PathBelongsToTheDeepestMountOnItsWay) {
  const auto mounts = mounts_from(
      "20 1 8:2 / / rw - ext4 root rw\n21 20 8:3 / /data rw - xfs data rw\n22 21 8:4 / /data/fast rw - xfs fast rw");
  EXPECT_EQ(mount_of(mounts, "/data/fast/x")->source, "fast");
  EXPECT_EQ(mount_of(mounts, "/data/faster")->source, "data");
  EXPECT_EQ(mount_of(mounts, "/database")->source, "root");
}

TEST(Mounts, LaterMountHidesEarlierOnes) {
  const auto mounts = mounts_from(
      "20 1 8:2 / / rw - ext4 root rw\n21 20 8:3 / /data/fast rw - xfs hidden rw\n"
      "22 20 8:4 / /data rw - xfs over rw\n23 22 8:5 / /data rw - xfs stacked rw");
  EXPECT_EQ(mount_of(mounts, "/data/fast/x")->source, "stacked");
}

TEST(Mounts, NoRootNoMount) {
  EXPECT_EQ(mount_of(mounts_from("21 20 8:3 / /data rw - xfs data rw"), "/data"), nullptr);
  EXPECT_EQ(mount_of({}, "/"), nullptr);
}

TEST(Mounts, OddParentsDoNotHangTheSearch) {
  const auto mounts = mounts_from(
      "20 1 8:2 / / rw - ext4 root rw\n21 22 8:3 / / rw - xfs a rw\n"
      "22 21 8:3 / / rw - xfs b rw\n23 23 8:4 / / rw - xfs c rw");
  EXPECT_EQ(mount_of(mounts, "/x")->source, "root");
}

}  // namespace
}  // namespace assay
