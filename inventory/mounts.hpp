#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "inventory/system_root.hpp"

namespace assay {

/// One line of /proc/self/mountinfo (proc(5)), escapes decoded.
struct Mount {
  int id = 0;
  int parent = 0;
  std::string device_number;  ///< "259:2"
  std::string root;           ///< the directory of the file system that is mounted
  std::string point;
  std::string file_system;
  std::string source;   ///< "/dev/nvme0n1p2", "nas:/export"
  std::string options;  ///< of the file system: "rw,upperdir=/x"
};

/// Empty when the file cannot be read; malformed lines are left out.
[[nodiscard]] std::vector<Mount> read_mounts(const SystemRoot& root);

/// The mount that a look-up of `path` (absolute, without links) ends in; nullptr when there is none. Follows the tree
/// of mounts, so that what a later mount hides is not found.
[[nodiscard]] const Mount* mount_of(const std::vector<Mount>& mounts, std::string_view path);

/// The value of NAME=value among comma-separated options; empty when absent.
[[nodiscard]] std::string mount_option(const Mount& mount, std::string_view name);

/// Whether `path` is `directory` or below it.
[[nodiscard]] bool lies_in(std::string_view path, std::string_view directory);

}  // namespace assay
