#include "inventory/block_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "inventory/text.hpp"

namespace assay {
namespace {

using Mark = std::pair<std::string_view, std::string_view>;

/// NVMe over a fabric is network storage. With native multipath the controllers hang below a subsystem.
std::string nvme_transport(const SystemRoot& root, const std::string& directory) {
  const std::string device = directory + "/device";
  auto transport = root.read(device + "/transport");
  for (const auto& name : root.list(device)) {
    if (transport.known()) break;
    if (name.starts_with("nvme")) transport = root.read(device + "/" + name + "/transport");
  }
  if (!transport.known() || transport.value() == "pcie") return "nvme";
  return "network";
}

std::string scsi_transport(const SystemRoot& root, const std::string& directory) {
  constexpr std::array<Mark, 6> places{{{"/ata", "sata"},
                                        {"/usb", "usb"},
                                        {"/virtio", "virtio"},
                                        {"/session", "network"},  // iSCSI
                                        {"/rport-", "network"},   // Fibre Channel
                                        {"/end_device-", "sas"}}};
  for (const auto& [part, transport] : places) {
    if (directory.find(part) == std::string::npos) continue;
    // SATA disks also plug into SAS controllers, which then answer "ATA" as vendor.
    const bool sata = transport == "sas" && root.read(directory + "/device/vendor").value_or("") == "ATA";
    return sata ? "sata" : std::string(transport);
  }
  return "unknown";
}

Fact<std::string> read_model(const SystemRoot& root, const std::string& directory) {
  auto model = root.read(directory + "/device/model");
  if (!model.known()) model = root.read(directory + "/device/name");  // memory cards
  if (model.known() && model.value().empty()) return Fact<std::string>::unknown("the disk names no model");
  if (!model.known()) return Fact<std::string>::unknown("the kernel shows no model for it");
  return model;
}

}  // namespace

std::vector<std::string> whole_disks(const SystemRoot& root, const std::string& directory) {
  if (root.exists(directory + "/partition")) return whole_disks(root, directory.substr(0, directory.rfind('/')));
  std::vector<std::string> disks;
  for (const auto& member : root.list(directory + "/slaves")) {
    const auto real = root.resolve(directory + "/slaves/" + member);
    if (!real.known()) continue;
    for (const auto& disk : whole_disks(root, real.value())) {
      if (std::find(disks.begin(), disks.end(), disk) == disks.end()) disks.push_back(disk);
    }
  }
  if (disks.empty()) disks.push_back(directory);
  return disks;
}

std::string transport_of(const SystemRoot& root, const std::string& directory) {
  const auto name = base_name(directory);
  if (name.starts_with("nvme")) return nvme_transport(root, directory);
  if (name.starts_with("sd") || name.starts_with("sr")) return scsi_transport(root, directory);
  constexpr std::array<Mark, 8> names{{{"vd", "virtio"},
                                       {"nbd", "network"},
                                       {"rbd", "network"},
                                       {"drbd", "network"},
                                       {"loop", "loop"},
                                       {"ram", "memory"},
                                       {"zram", "memory"},
                                       {"pmem", "memory"}}};
  for (const auto& [start, transport] : names) {
    if (name.starts_with(start)) return std::string(transport);
  }
  return "unknown";
}

DiskFacts read_block_device(const SystemRoot& root, const std::string& directory) {
  constexpr std::int64_t sector = 512;  // sysfs counts in these, whatever the disk's own sectors are
  DiskFacts disk;
  disk.device = base_name(directory);
  disk.transport = transport_of(root, directory);
  if (disk.transport == "unknown") disk.transport_note = "the device tree does not tell: " + directory;
  if (disk.transport == "virtio") disk.transport_note = "medium and size are what the hypervisor says";
  disk.model = read_model(root, directory);
  const auto rotational = root.read_integer(directory + "/queue/rotational");
  disk.rotational = rotational.known() ? Fact<bool>(rotational.value() != 0) : Fact<bool>::unknown(rotational.why());
  const auto sectors = root.read_integer(directory + "/size");
  disk.size = sectors.known() ? Fact<std::int64_t>(sectors.value() * sector) : sectors;
  return disk;
}

}  // namespace assay
