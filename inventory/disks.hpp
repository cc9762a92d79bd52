#pragma once

#include <string>
#include <vector>

#include "inventory/facts.hpp"
#include "inventory/system_root.hpp"

namespace assay {

/// The disk behind `path` (a directory that exists): mount, file system and, where there is one, the whole disk under
/// partitions, device mapper and software RAID. An unreadable path gives transport "unknown" and the reason.
[[nodiscard]] DiskFacts read_disk_behind(const SystemRoot& root, const std::string& path);

/// Whole physical disks of the machine, by name: no partitions, loops, RAM disks, optical drives or empty slots.
[[nodiscard]] std::vector<DiskFacts> read_whole_disks(const SystemRoot& root);

/// Those behind `paths`, then the others.
[[nodiscard]] std::vector<DiskFacts> read_disks(const SystemRoot& root, const std::vector<std::string>& paths);

}  // namespace assay
