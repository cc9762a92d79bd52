#include "inventory/disks.hpp"

#include <gmock/gmock.h>

#include "inventory/block_device.hpp"
#include "tests/inventory/planted_root.hpp"

namespace assay {
namespace {

using assay::testing::plant_disk;
using assay::testing::plant_partition;
using assay::testing::PlantedRoot;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::int64_t tb = 1'000'000'000'000;

/// A node with an NVMe disk, a SATA disk and mounts of many kinds.
class Disks : public ::testing::Test {
 protected:
  Disks() {
    const auto nvme =
        plant_disk(root_, "pci0000:00/0000:01:00.0/nvme/nvme0", "nvme0n1", "259:0", 4 * tb, 0, "SAMSUNG MZQL23T8");
    root_.write("/sys/devices/pci0000:00/0000:01:00.0/nvme/nvme0/transport", "pcie");
    plant_partition(root_, nvme, "nvme0n1p2", "259:2");
    const auto sata = plant_disk(root_, "pci0000:00/0000:02:00.0/ata3/host2/target2:0:0/2:0:0:0", "sda", "8:0", 8 * tb,
                                 1, "ST8000NM");
    plant_partition(root_, sata, "sda1", "8:1");
    root_.write("/proc/self/mountinfo",
                "20 1 259:2 / / rw - ext4 /dev/nvme0n1p2 rw\n"
                "21 20 8:1 / /data rw - xfs /dev/sda1 rw\n"
                "22 20 0:50 / /home rw - nfs4 nas:/export/home rw\n"
                "23 20 0:51 / /dev/shm rw - tmpfs tmpfs rw\n"
                "24 20 0:52 / /merged rw - overlay overlay rw,lowerdir=/l,upperdir=/data/upper,workdir=/data/w\n"
                "25 20 0:53 / /hidden rw - overlay overlay rw,lowerdir=/l,upperdir=/not/visible,workdir=/w\n"
                "26 20 0:54 / /pool rw - zfs tank/pool rw\n"
                "27 20 0:55 / /snap rw - btrfs /dev/sda1 rw");
    for (const auto* path :
         {"/scratch", "/data/upper", "/home/me", "/dev/shm/x", "/merged", "/hidden", "/pool", "/snap"}) {
      root_.directory(path);
      root_.set_space(path, {1000, 400});
    }
  }

  PlantedRoot root_;
  int next_number_ = 0;
};

TEST_F(Disks, PartitionLeadsToItsNvmeDisk) {
  const auto disk = read_disk_behind(root_, "/scratch");
  EXPECT_EQ(disk.path, "/scratch");
  EXPECT_EQ(disk.device, "nvme0n1");
  EXPECT_EQ(disk.transport, "nvme");
  EXPECT_EQ(disk.model.value(), "SAMSUNG MZQL23T8");
  EXPECT_FALSE(disk.rotational.value());
  EXPECT_EQ(disk.size.value(), 4 * tb);
  EXPECT_EQ(disk.file_system, "ext4");
  EXPECT_EQ(disk.mount_point, "/");
  EXPECT_EQ(disk.free.value(), 400);
}

TEST_F(Disks, SataDiskTurns) {
  const auto disk = read_disk_behind(root_, "/data/upper");
  EXPECT_EQ(disk.device, "sda");
  EXPECT_EQ(disk.transport, "sata");
  EXPECT_TRUE(disk.rotational.value());
}

TEST_F(Disks, NetworkFileSystemHasNoDiskHere) {
  const auto disk = read_disk_behind(root_, "/home/me");
  EXPECT_EQ(disk.device, "nas:/export/home");
  EXPECT_EQ(disk.transport, "network");
  EXPECT_FALSE(disk.model.known());
  EXPECT_FALSE(disk.rotational.known());
  EXPECT_EQ(disk.size.value(), 1000);
}

TEST_F(Disks, TmpfsIsMemory) { EXPECT_EQ(read_disk_behind(root_, "/dev/shm/x").transport, "memory"); }

TEST_F(Disks, OverlayStandsOnTheDiskOfItsWritableLayer) {
  const auto disk = read_disk_behind(root_, "/merged");
  EXPECT_EQ(disk.device, "sda");
  EXPECT_EQ(disk.transport, "sata");
  EXPECT_EQ(disk.file_system, "overlay");
  EXPECT_THAT(disk.transport_note, HasSubstr("overlay"));
}

TEST_F(Disks, OverlayWithHiddenLayerIsUnknown) {
  const auto disk = read_disk_behind(root_, "/hidden");
  EXPECT_EQ(disk.transport, "unknown");
  EXPECT_THAT(disk.transport_note, HasSubstr("overlay"));
  EXPECT_FALSE(disk.rotational.known());
}

TEST_F(Disks, ZfsIsUnknownAndBtrfsIsFoundByName) {
  EXPECT_EQ(read_disk_behind(root_, "/pool").transport, "unknown");
  EXPECT_EQ(read_disk_behind(root_, "/snap").device, "sda");
}

TEST_F(Disks, MissingPathSaysSo) {
  const auto disk = read_disk_behind(root_, "/nowhere");
  EXPECT_EQ(disk.transport, "unknown");
  EXPECT_THAT(disk.transport_note, HasSubstr("/nowhere"));
  EXPECT_FALSE(disk.free.known());
  EXPECT_FALSE(disk.size.known());
}

TEST_F(Disks, OtherWholeDisksFollowThoseBehindPaths) {
  plant_disk(root_, "virtual", "loop0", "7:0", 0, 0, "");
  root_.remove("/sys/devices/virtual/block/loop0/device");
  plant_disk(root_, "pci0000:00/ata9/host8", "sr0", "11:0", tb, 1, "DVD");
  plant_disk(root_, "pci0000:00/usb1/host9", "sdz", "65:144", 0, 0, "Card Reader");
  const auto disks = read_disks(root_, {"/scratch"});
  ASSERT_EQ(disks.size(), 2U);
  EXPECT_EQ(disks[0].device, "nvme0n1");
  EXPECT_EQ(disks[1].device, "sda");
  EXPECT_THAT(disks[1].path, IsEmpty());
  EXPECT_FALSE(disks[1].free.known());
}

TEST_F(Disks, VolumeOverTwoDisksNamesThemAndWhatTheyShare) {
  const auto second =
      plant_disk(root_, "pci0000:00/0000:03:00.0/nvme/nvme1", "nvme1n1", "259:5", 4 * tb, 0, "SAMSUNG MZQL23T8");
  const std::string volume = "/sys/devices/virtual/block/dm-0";
  root_.write(volume + "/size", std::to_string(8 * tb / 512));
  root_.link(volume + "/slaves/nvme0n1p2", "/sys/class/block/nvme0n1p2");
  root_.link(volume + "/slaves/nvme1n1", second);
  root_.link("/sys/dev/block/254:0", volume);
  root_.write("/proc/self/mountinfo", "20 1 254:0 / / rw - xfs /dev/mapper/vg-scratch rw");
  auto disk = read_disk_behind(root_, "/scratch");
  EXPECT_EQ(disk.device, "dm-0");
  EXPECT_EQ(disk.transport, "nvme");
  EXPECT_EQ(disk.size.value(), 8 * tb);
  EXPECT_THAT(disk.transport_note, HasSubstr("nvme0n1, nvme1n1"));
  EXPECT_FALSE(disk.rotational.value());

  root_.link(volume + "/slaves/sda1", "/sys/class/block/sda1");
  disk = read_disk_behind(root_, "/scratch");
  EXPECT_EQ(disk.transport, "unknown");
  EXPECT_TRUE(disk.rotational.value());
  EXPECT_FALSE(disk.model.known());
}

TEST_F(Disks, TransportComesFromThePlaceInTheDeviceTree) {
  const auto at = [&](std::string_view place, const std::string& name) {
    return transport_of(root_, plant_disk(root_, place, name, "99:" + std::to_string(next_number_++), tb, 0, ""));
  };
  EXPECT_EQ(at("pci0000:00/0000:00:02.0/virtio1", "vda"), "virtio");
  EXPECT_EQ(at("pci0000:00/virtio3/host0/target0:0:0/0:0:0:1", "sdb"), "virtio");
  EXPECT_EQ(at("pci0000:00/host1/port-1:0/end_device-1:0/target1:0:0/1:0:0:0", "sdc"), "sas");
  EXPECT_EQ(at("platform/host6/session1/target6:0:0/6:0:0:0", "sdd"), "network");
  EXPECT_EQ(at("pci0000:00/host7/rport-7:0-1/target7:0:1/7:0:1:0", "sde"), "network");
  EXPECT_EQ(at("pci0000:00/usb2/2-1/host8/target8:0:0/8:0:0:0", "sdf"), "usb");
  EXPECT_EQ(at("pci0000:00/0000:05:00.0/host9/target9:2:0/9:2:0:0", "sdg"), "unknown");
  root_.write("/sys/devices/pci0000:00/host4/end_device-4:0/vendor", "ATA");
  EXPECT_EQ(at("pci0000:00/host4/end_device-4:0", "sdh"), "sata");
  root_.write("/sys/devices/virtual/nvme-fabrics/ctl/nvme5/transport", "rdma");
  EXPECT_EQ(at("virtual/nvme-fabrics/ctl/nvme5", "nvme5n1"), "network");
  root_.write("/sys/devices/virtual/nvme-subsystem/nvme-subsys6/nvme6/transport", "tcp");
  EXPECT_EQ(at("virtual/nvme-subsystem/nvme-subsys6", "nvme6n1"), "network");
}

}  // namespace
}  // namespace assay
