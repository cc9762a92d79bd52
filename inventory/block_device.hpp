#pragma once

#include <string>
#include <vector>

#include "inventory/facts.hpp"
#include "inventory/system_root.hpp"

namespace assay {

/// Block devices as sysfs shows them, by their directory below /sys/devices.

/// The whole disks under a device, by directory: partitions lead to their disk, device mapper and RAID to their
/// members. A device without anything below it is its own disk.
[[nodiscard]] std::vector<std::string> whole_disks(const SystemRoot& root, const std::string& directory);

/// nvme, sata, sas, usb, virtio, network, memory, loop or unknown, from the name and the place in the device tree.
[[nodiscard]] std::string transport_of(const SystemRoot& root, const std::string& directory);

/// Fills device, transport, model, rotational and size of the disk in `directory`.
[[nodiscard]] DiskFacts read_block_device(const SystemRoot& root, const std::string& directory);

}  // namespace assay
