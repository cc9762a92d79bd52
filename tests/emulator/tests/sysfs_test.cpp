#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/emulator/sysfs/tree.hpp"
#include "tests/emulator/tests/support.hpp"

namespace emulator {
namespace {

namespace fs = std::filesystem;

class Sysfs : public ::testing::Test {
 protected:
  ~Sysfs() override { fs::remove_all(root_); }
  Sysfs(const Sysfs&) = delete;
  Sysfs& operator=(const Sysfs&) = delete;
  Sysfs() : root_(fs::temp_directory_path() / ("sysfs-" + std::to_string(::getpid()))) { fs::remove_all(root_); }

  [[nodiscard]] std::string text(const std::string& path) const {
    std::ifstream file(root_ / path);
    std::string line;
    std::getline(file, line);
    return file ? line : "(unreadable)";
  }
  [[nodiscard]] fs::path real(const std::string& path) const { return fs::weakly_canonical(root_ / path); }
  void write(const Cluster& cluster) { write_host(cluster.nodes()[0], root_); }

  fs::path root_;
};

TEST_F(Sysfs, PortOfAHealthyNic) {
  write(test::one_node("h100-sxm5-80gb", 8));
  const std::string port = "sys/class/infiniband/mlx5_3/ports/1/";
  EXPECT_EQ(text(port + "rate"), "400 Gb/sec (4X NDR)");
  EXPECT_EQ(text(port + "state"), "4: ACTIVE");
  EXPECT_EQ(text(port + "phys_state"), "5: LinkUp");
  EXPECT_EQ(text(port + "link_layer"), "InfiniBand");
  EXPECT_EQ(text(port + "counters/port_xmit_data"), "0");
  EXPECT_EQ(text("sys/class/infiniband/mlx5_3/device/numa_node"), "0");
  EXPECT_EQ(text("sys/class/infiniband/mlx5_7/device/numa_node"), "1");
  EXPECT_EQ(text("sys/class/net/ib3/operstate"), "up");
  EXPECT_EQ(real("sys/class/net/ib3/device"), real("sys/class/infiniband/mlx5_3/device"));
  EXPECT_NE(text("proc/modules"), "(unreadable)");
}

TEST_F(Sysfs, ANicHangsBelowTheSwitchOfItsCard) {
  const auto cluster = test::one_node("h100-sxm5-80gb", 8);
  write(cluster);
  const auto switch_of = [&](const std::string& device) { return real(device).parent_path().parent_path(); };
  const auto gpu = [&](std::size_t slot) {
    std::string id = cluster.nodes()[0].gpus[slot].pci_bus_id.substr(4);
    for (auto& letter : id) letter = static_cast<char>(std::tolower(letter));
    return "sys/bus/pci/devices/" + id;
  };
  EXPECT_EQ(switch_of("sys/class/infiniband/mlx5_3/device"), switch_of(gpu(3)));
  EXPECT_NE(switch_of("sys/class/infiniband/mlx5_3/device"), switch_of(gpu(4)));
  EXPECT_EQ(text(gpu(3) + "/max_link_speed"), "32.0 GT/s PCIe");
  EXPECT_EQ(text(gpu(3) + "/current_link_width"), "16");
  EXPECT_EQ(text(gpu(3) + "/vendor"), "0x10de");
}

TEST_F(Sysfs, FaultsShow) {
  write(test::one_node("h100-sxm5-80gb", 8,
                       "kind = \"dead_nic\"\nnic = 2\n[[fault]]\nkind = \"down_rated_nic\"\nnic = 3\ngbit = 200"
                       "\n[[fault]]\nkind = \"gdr_off\"\n[[fault]]\nkind = \"missing_gpu\"\ngpu = 0"));
  EXPECT_EQ(text("sys/class/infiniband/mlx5_2/ports/1/state"), "1: DOWN");
  EXPECT_EQ(text("sys/class/net/ib2/operstate"), "down");
  EXPECT_EQ(text("sys/class/infiniband/mlx5_3/ports/1/rate"), "200 Gb/sec (4X HDR)");
  EXPECT_FALSE(fs::exists(root_ / "sys/bus/pci/devices/0000:18:00.0"));
  std::ifstream modules(root_ / "proc/modules");
  std::stringstream all;
  all << modules.rdbuf();
  EXPECT_EQ(all.str().find("peermem"), std::string::npos);
}

TEST_F(Sysfs, SocketsHaveNoRdmaDevice) {
  write(test::cluster_of("[[nodes]]\nnics = { count = 2, kind = \"socket\", rate_gbit = 25 }\n"));
  EXPECT_FALSE(fs::exists(root_ / "sys/class/infiniband"));
  EXPECT_EQ(text("sys/class/net/net1/speed"), "25000");
}

}  // namespace
}  // namespace emulator
