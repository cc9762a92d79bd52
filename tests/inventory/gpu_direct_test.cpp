#include "inventory/gpu_direct.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <string>

#include "tests/inventory/planted_root.hpp"

namespace assay {
namespace {

using assay::testing::PlantedRoot;
using ::testing::HasSubstr;

SoftwareFacts row(const SystemRoot& root, const std::string& name) {
  const auto rows = read_gpu_direct(root);
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const auto& one) { return one.name == name; });
  return found == rows.end() ? SoftwareFacts{} : *found;
}

TEST(GpuDirect, Peermem) {
  PlantedRoot root;
  EXPECT_EQ(row(root, "gpu_direct.peermem").version, "unknown");
  root.write("/proc/modules", "nvidia 56000000 1 nvidia_peermem, Live 0x0\nnvidia_peermem 16384 0 - Live 0x0");
  EXPECT_EQ(row(root, "gpu_direct.peermem").version, "loaded");
  root.write("/proc/modules", "nvidia 56000000 1 mlx5_core, Live 0x0");
  EXPECT_EQ(row(root, "gpu_direct.peermem").version, "absent");
}

TEST(GpuDirect, DmaBufNeedsTheOpenDriverAndTheKernel) {
  PlantedRoot root;
  root.write("/proc/sys/kernel/osrelease", "6.8");
  root.write("/proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.65");
  EXPECT_EQ(row(root, "gpu_direct.dma_buf").version, "unknown");
  root.write("/boot/config-6.8", "CONFIG_PCI_P2PDMA=y");
  EXPECT_EQ(row(root, "gpu_direct.dma_buf").version, "possible");
  root.write("/proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.1");
  EXPECT_EQ(row(root, "gpu_direct.dma_buf").version, "absent");
}

TEST(GpuDirect, Iommu) {
  PlantedRoot root;
  EXPECT_EQ(row(root, "iommu").version, "off");
  root.directory("/sys/class/iommu/dmar0");
  EXPECT_EQ(row(root, "iommu").version, "on");
  root.write("/proc/cmdline", "quiet intel_iommu=on iommu=pt");
  EXPECT_EQ(row(root, "iommu").version, "passthrough");
  EXPECT_THAT(row(root, "iommu").detail, HasSubstr("intel_iommu=on iommu=pt"));
}

/// A bridge whose extended configuration has one capability before ACS with the given control word.
std::string configuration(unsigned char control) {
  std::string bytes(0x200, '\0');
  const auto put = [&](std::size_t at, std::uint32_t word) {
    for (std::size_t i = 0; i < 4; ++i) bytes[at + i] = static_cast<char>(word >> (8 * i) & 0xff);
  };
  put(0x100, 0x1481U << 20 | 0x0001);  // wrong next pointers must not matter beyond 12 bits
  put(0x100, 0x148U << 20 | 0x10001);
  put(0x148, 0x1000d);
  bytes[0x148 + 6] = static_cast<char>(control);
  return bytes;
}

void plant_bridge(PlantedRoot& root, const std::string& address, const std::string& config) {
  const auto directory = "/sys/devices/pci0000:00/" + address;
  root.write(directory + "/class", "0x060400");
  root.write(directory + "/config", config);
  root.link("/sys/bus/pci/devices/" + address, directory);
}

TEST(GpuDirect, AccessControlOfBridges) {
  PlantedRoot root;
  EXPECT_EQ(row(root, "pci.acs").version, "absent");
  plant_bridge(root, "0000:00:01.0", configuration(0));
  EXPECT_EQ(row(root, "pci.acs").version, "off");
  plant_bridge(root, "0000:00:02.0", configuration(0x1d));
  EXPECT_EQ(row(root, "pci.acs").version, "on");
  EXPECT_THAT(row(root, "pci.acs").detail, HasSubstr("1 of 2"));
  plant_bridge(root, "0000:00:03.0", std::string(64, '\0'));
  EXPECT_EQ(row(root, "pci.acs").version, "unknown");
  EXPECT_THAT(row(root, "pci.acs").detail, HasSubstr("NOT_RUN"));
}

}  // namespace
}  // namespace assay
