#include "tests/inventory/planted_root.hpp"

#include <fmt/format.h>
#include <stdlib.h>

#include <cerrno>
#include <fstream>
#include <system_error>

namespace assay::testing {

std::filesystem::path PlantedRoot::at(std::string_view path) const {
  return SystemRoot::path() / std::filesystem::path(path).relative_path();
}

void PlantedRoot::write(std::string_view path, std::string_view text) {
  std::filesystem::create_directories(at(path).parent_path());
  std::ofstream(at(path)) << text << '\n';
}

void PlantedRoot::directory(std::string_view path) { std::filesystem::create_directories(at(path)); }

void PlantedRoot::link(std::string_view path, std::string_view target) {
  std::filesystem::create_directories(at(path).parent_path());
  std::filesystem::create_symlink(at(target).lexically_relative(at(path).parent_path()), at(path));
}

void PlantedRoot::remove(std::string_view path) { std::filesystem::remove_all(at(path)); }

Fact<SystemRoot::Space> PlantedRoot::space(std::string_view path) const {
  const auto found = spaces_.find(path);
  if (found == spaces_.end()) return Fact<Space>::unknown(fmt::format("{}: not planted", path));
  return found->second;
}

void plant_process(PlantedRoot& root, const std::string& id, std::string_view name, int parent, std::string_view cpus) {
  root.write("/proc/" + id + "/status",
             fmt::format("Name:\t{}\nPid:\t{}\nPPid:\t{}\nCpus_allowed:\tff\nCpus_allowed_list:\t{}\n", name, id,
                         parent, cpus));
}

std::string plant_disk(PlantedRoot& root, std::string_view place, const std::string& name, std::string_view number,
                       std::int64_t bytes, int rotational, std::string_view model) {
  const auto device = fmt::format("/sys/devices/{}", place);
  const auto directory = fmt::format("{}/block/{}", device, name);
  root.write(directory + "/size", std::to_string(bytes / 512));
  root.write(directory + "/queue/rotational", std::to_string(rotational));
  root.write(device + "/model", model);
  root.link(directory + "/device", device);
  root.link("/sys/block/" + name, directory);
  root.link("/sys/class/block/" + name, directory);
  root.link(fmt::format("/sys/dev/block/{}", number), directory);
  return directory;
}

void plant_partition(PlantedRoot& root, const std::string& disk, const std::string& name, std::string_view number) {
  root.write(disk + "/" + name + "/partition", "1");
  root.write(disk + "/" + name + "/size", "2048");
  root.link("/sys/class/block/" + name, disk + "/" + name);
  root.link(fmt::format("/sys/dev/block/{}", number), disk + "/" + name);
}

void plant_mlx5(PlantedRoot& root, int index, const std::string& interface, int numa_node) {
  const auto device = fmt::format("/sys/devices/pci0000:{:02x}/0000:{:02x}:00.0", index, index + 1);
  const auto rdma = fmt::format("mlx5_{}", index);
  const auto port = fmt::format("{}/infiniband/{}/ports/1", device, rdma);
  root.directory("/sys/bus/pci/drivers/mlx5_core");
  root.link(device + "/driver", "/sys/bus/pci/drivers/mlx5_core");
  root.write(device + "/numa_node", std::to_string(numa_node));
  root.write(port + "/state", "4: ACTIVE");
  root.write(port + "/rate", "400 Gb/sec (4X NDR)");
  root.write(port + "/link_layer", "InfiniBand");
  root.link(fmt::format("{}/infiniband/{}/device", device, rdma), device);
  root.link("/sys/class/infiniband/" + rdma, fmt::format("{}/infiniband/{}", device, rdma));
  if (interface.empty()) return;
  const auto net = device + "/net/" + interface;
  root.link(net + "/device", device);
  root.write(net + "/operstate", "up");
  root.write(net + "/speed", "400000");
  root.write(net + "/mtu", "4092");
  root.write(net + "/dev_port", "0");
  root.write(net + "/address", fmt::format("00:00:10:29:fe:80:00:00:00:00:00:00:58:a2:e1:03:00:00:00:{:02x}", index));
  root.link("/sys/class/net/" + interface, net);
}

}  // namespace assay::testing
