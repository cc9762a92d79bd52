#include "inventory/gpu_direct.hpp"

#include <fmt/format.h>

#include <fstream>
#include <iterator>

#include "inventory/pci.hpp"
#include "inventory/text.hpp"

namespace assay {
namespace {

constexpr std::int64_t pci_bridge = 0x0604;

SoftwareFacts read_peermem(const SystemRoot& root) {
  const std::string name = "gpu_direct.peermem";
  const auto modules = root.read("/proc/modules");
  if (!modules.known()) return {name, "unknown", modules.why()};
  for (const auto& line : split(modules.value(), '\n')) {
    const auto fields = words(line);
    if (!fields.empty() && (fields[0] == "nvidia_peermem" || fields[0] == "nv_peer_mem"))
      return {name, "loaded", "kernel module " + fields[0]};
  }
  return {name, "absent", "no kernel module nvidia_peermem or nv_peer_mem"};
}

/// The kernel must move DMA buffers between PCI peers, and the NVIDIA driver be the open one.
SoftwareFacts read_dma_buf(const SystemRoot& root) {
  const std::string name = "gpu_direct.dma_buf";
  const auto release = root.read("/proc/sys/kernel/osrelease");
  const auto config = root.read("/boot/config-" + release.value_or(""));
  const auto driver = root.read("/proc/driver/nvidia/version");
  const bool open_driver = driver.value_or("").find("Open Kernel Module") != std::string::npos;
  const std::string driver_words =
      driver.known() ? (open_driver ? "open NVIDIA driver" : "closed NVIDIA driver") : "no NVIDIA driver";
  if (!config.known())
    return {name, "unknown", fmt::format("{}; kernel configuration: {}", driver_words, config.why())};
  const bool peers = config.value().find("CONFIG_PCI_P2PDMA=y") != std::string::npos;
  return {name, peers && open_driver ? "possible" : "absent",
          fmt::format("{}; kernel {} CONFIG_PCI_P2PDMA", driver_words, peers ? "has" : "lacks")};
}

SoftwareFacts read_iommu(const SystemRoot& root) {
  const auto units = root.list("/sys/class/iommu");
  const auto line = root.read("/proc/cmdline").value_or("");
  std::string hints;
  for (const auto& word : words(line))
    if (word.find("iommu") != std::string::npos || word.find("acs") != std::string::npos)
      hints += (hints.empty() ? "" : " ") + word;
  const bool pass =
      hints.find("iommu=pt") != std::string::npos || hints.find("iommu.passthrough=1") != std::string::npos;
  const std::string state = units.empty() ? "off" : pass ? "passthrough" : "on";
  return {"iommu", state,
          fmt::format("{} units; kernel command line: {}", units.size(), hints.empty() ? "nothing about it" : hints)};
}

std::string read_bytes(const SystemRoot& root, const std::string& path) {
  std::ifstream file(root.at(path), std::ios::binary);
  std::string bytes;
  try {
    bytes.assign(std::istreambuf_iterator<char>(file), {});
  } catch (const std::ios_base::failure&) {
    bytes.clear();
  }
  return bytes;
}

std::uint32_t little_endian(const std::string& bytes, std::size_t at, std::size_t width) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < width && at + i < bytes.size(); ++i)
    value |= std::uint32_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
  return value;
}

enum class Acs { off, on, absent, unreadable };

/// Access control services send traffic between PCIe peers up to the host bridge. PCI Express base specification:
/// extended capability 0x000d, control register at offset 6; request redirect is bit 2, completion redirect bit 3.
Acs read_acs(const SystemRoot& root, const std::string& address) {
  constexpr std::size_t first_extended = 0x100;
  constexpr std::uint32_t acs = 0x000d;
  constexpr std::uint32_t redirects = 0xc;
  constexpr int most_capabilities = 64;
  const std::string bytes = read_bytes(root, "/sys/bus/pci/devices/" + address + "/config");
  if (bytes.size() <= first_extended) return Acs::unreadable;
  std::size_t at = first_extended;
  for (int i = 0; i < most_capabilities && at >= first_extended && at + 8 <= bytes.size(); ++i) {
    const std::uint32_t head = little_endian(bytes, at, 4);
    if ((head & 0xffff) == acs) return (little_endian(bytes, at + 6, 2) & redirects) != 0 ? Acs::on : Acs::off;
    at = head >> 20;
  }
  return Acs::absent;
}

SoftwareFacts read_all_acs(const SystemRoot& root) {
  int bridges = 0;
  int on = 0;
  int unreadable = 0;
  for (const auto& address : root.list("/sys/bus/pci/devices")) {
    if (read_pci_device(root, address).kind >> 8 != pci_bridge) continue;
    ++bridges;
    const Acs acs = read_acs(root, address);
    if (acs == Acs::on) ++on;
    if (acs == Acs::unreadable) ++unreadable;
  }
  const std::string name = "pci.acs";
  if (bridges == 0) return {name, "absent", "no PCI bridge is visible"};
  if (unreadable > 0)
    return {name, "unknown",
            fmt::format("NOT_RUN: {} of {} bridges show their configuration to root only", unreadable, bridges)};
  return {name, on > 0 ? "on" : "off",
          fmt::format("{} of {} bridges send traffic between peers to the host", on, bridges)};
}

}  // namespace

std::vector<SoftwareFacts> read_gpu_direct(const SystemRoot& root) {
  return {read_peermem(root), read_dma_buf(root), read_iommu(root), read_all_acs(root)};
}

}  // namespace assay
