#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "inventory/system_root.hpp"
#include "tests/temporary_directory.hpp"

namespace assay::testing {

/// A made-up machine. Whatever is not planted is missing.
class PlantedRoot final : private test::TemporaryDirectory, public SystemRoot {
 public:
  PlantedRoot() : SystemRoot(test::TemporaryDirectory::path()) {}
  using SystemRoot::path;

  void write(std::string_view path, std::string_view text);
  void directory(std::string_view path);
  /// A link at `path` to the absolute `target` of the made-up machine.
  void link(std::string_view path, std::string_view target);
  void remove(std::string_view path);
  void set_space(const std::string& path, Space space) { spaces_[path] = space; }
  void set_signature(std::string signature) { signature_ = std::move(signature); }

  [[nodiscard]] Fact<Space> space(std::string_view path) const override;
  [[nodiscard]] Fact<std::string> hypervisor_signature() const override { return signature_; }

 private:
  [[nodiscard]] std::filesystem::path at(std::string_view path) const;

  std::map<std::string, Space, std::less<>> spaces_;
  std::string signature_;
};

/// /proc/PID/status of a process with the given affinity.
void plant_process(PlantedRoot& root, const std::string& id, std::string_view name, int parent, std::string_view cpus);

/// A block device at /sys/devices/`place`/block/`name`, listed where the kernel lists whole disks.
/// Returns its directory.
std::string plant_disk(PlantedRoot& root, std::string_view place, const std::string& name, std::string_view number,
                       std::int64_t bytes, int rotational, std::string_view model);

/// A partition of the disk in `disk`.
void plant_partition(PlantedRoot& root, const std::string& disk, const std::string& name, std::string_view number);

/// An mlx5 port with its RDMA device and, unless `interface` is empty, its network interface.
void plant_mlx5(PlantedRoot& root, int index, const std::string& interface, int numa_node);

}  // namespace assay::testing
