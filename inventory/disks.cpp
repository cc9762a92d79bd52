#include "inventory/disks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "inventory/block_device.hpp"
#include "inventory/mounts.hpp"
#include "inventory/text.hpp"

namespace assay {
namespace {

using Count = Fact<std::int64_t>;

/// Transport of file systems that stand on no block device of this node; empty for others.
std::string file_system_transport(std::string_view type) {
  constexpr std::array<std::string_view, 24> network{
      "nfs",        "nfs4",      "cifs",       "smb3",      "lustre",       "ceph",           "fuse.ceph",    "gpfs",
      "beegfs",     "wekafs",    "panfs",      "afs",       "glusterfs",    "fuse.glusterfs", "orangefs",     "pvfs2",
      "fuse.sshfs", "fuse.s3fs", "fuse.dfuse", "fuse.daos", "fuse.juicefs", "fuse.JuiceFS",   "fuse.gcsfuse", "9p"};
  constexpr std::array<std::string_view, 4> memory{"tmpfs", "ramfs", "devtmpfs", "hugetlbfs"};
  if (std::find(network.begin(), network.end(), type) != network.end()) return "network";
  if (std::find(memory.begin(), memory.end(), type) != memory.end()) return "memory";
  if (type == "virtiofs") return "virtio";
  return {};
}

/// The block device under a mount: by number, or by name where the file system has a number of its own (btrfs).
std::optional<std::string> block_directory(const SystemRoot& root, const Mount& mount) {
  const auto by_number = root.resolve("/sys/dev/block/" + mount.device_number);
  if (by_number.known()) return by_number.value();
  if (!mount.source.starts_with("/dev/")) return std::nullopt;
  const auto node = root.resolve(mount.source);  // /dev/mapper/x -> /dev/dm-0
  const auto by_name = root.resolve("/sys/class/block/" + base_name(node.value_or(mount.source)));
  if (by_name.known()) return by_name.value();
  return std::nullopt;
}

/// One description for the disks under a file system: what they agree on, and the device that joins them.
DiskFacts read_joined_disks(const SystemRoot& root, const std::string& directory) {
  const auto members = whole_disks(root, directory);
  auto disk = read_block_device(root, members.front());
  if (members.size() == 1) return disk;
  std::vector<std::string> names;
  for (const auto& member : members) {
    const auto other = read_block_device(root, member);
    names.push_back(other.device);
    if (other.transport != disk.transport) disk.transport = "unknown";
    if (other.model.value_or("") != disk.model.value_or("")) disk.model = Fact<std::string>::unknown("models differ");
    if (other.rotational.value_or(true)) disk.rotational = other.rotational;
  }
  const auto joined = read_block_device(root, directory);
  disk.device = joined.device;
  disk.size = joined.size;
  disk.transport_note = fmt::format("over {}", fmt::join(names, ", "));
  return disk;
}

/// The layer of a container's overlay that takes writes, as a path, when it can be seen from here.
std::optional<std::string> writable_layer(const SystemRoot& root, const Mount& mount) {
  const auto upper = mount.file_system == "overlay" ? mount_option(mount, "upperdir") : "";
  if (upper.empty()) return std::nullopt;
  const auto real = root.resolve(upper);
  if (!real.known()) return std::nullopt;
  return real.value();
}

DiskFacts read_device(const SystemRoot& root, const std::vector<Mount>& mounts, const Mount& mount) {
  const auto transport = file_system_transport(mount.file_system);
  if (transport.empty()) {
    if (const auto directory = block_directory(root, mount)) return read_joined_disks(root, *directory);
    if (const auto layer = writable_layer(root, mount)) {
      const Mount* below = mount_of(mounts, *layer);
      if (below != nullptr && below->file_system != "overlay") {
        auto disk = read_device(root, mounts, *below);
        disk.transport_note = "below an overlay";
        return disk;
      }
    }
  }
  DiskFacts disk;
  const std::string why = fmt::format("no disk of this node shows behind {} ({})", mount.source, mount.file_system);
  disk.device = mount.source;
  disk.transport = transport.empty() ? "unknown" : transport;
  disk.transport_note = transport.empty() ? why : "";
  disk.model = Fact<std::string>::unknown(why);
  disk.rotational = Fact<bool>::unknown(why);
  disk.size = Count::unknown(why);
  return disk;
}

}  // namespace

DiskFacts read_disk_behind(const SystemRoot& root, const std::string& path) {
  const auto mounts = read_mounts(root);
  const auto real = root.resolve(path);
  const Mount* mount = real.known() ? mount_of(mounts, real.value()) : nullptr;
  DiskFacts disk;
  if (mount != nullptr) {
    disk = read_device(root, mounts, *mount);
    disk.mount_point = mount->point;
    disk.file_system = mount->file_system;
  } else {
    disk.transport = "unknown";
    disk.transport_note = real.known() ? "/proc/self/mountinfo shows no mount for it" : real.why();
  }
  disk.path = path;
  const auto space = root.space(path);
  disk.free = space.known() ? Count(space.value().free) : Count::unknown(space.why());
  if (!disk.size.known() && space.known()) disk.size = space.value().total;
  return disk;
}

std::vector<DiskFacts> read_whole_disks(const SystemRoot& root) {
  std::vector<DiskFacts> disks;
  for (const auto& name : root.list("/sys/block")) {
    const auto directory = root.resolve("/sys/block/" + name);
    if (!directory.known() || !root.exists(directory.value() + "/device")) continue;
    if (name.starts_with("sr") || root.read(directory.value() + "/hidden").value_or("0") == "1") continue;
    auto disk = read_block_device(root, directory.value());
    if (disk.size.value_or(0) == 0) continue;
    disk.free = Count::unknown("not behind a test path");
    disks.push_back(std::move(disk));
  }
  return disks;
}

std::vector<DiskFacts> read_disks(const SystemRoot& root, const std::vector<std::string>& paths) {
  std::vector<DiskFacts> disks;
  std::set<std::string> shown;
  for (const auto& path : paths) {
    disks.push_back(read_disk_behind(root, path));
    shown.insert(disks.back().device);
  }
  for (auto& disk : read_whole_disks(root)) {
    if (!shown.contains(disk.device)) disks.push_back(std::move(disk));
  }
  return disks;
}

}  // namespace assay
