#include "tests/emulator/sysfs/tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <thread>

#include "tests/emulator/model/noise.hpp"

namespace emulator {
namespace {

namespace fs = std::filesystem;

/// Transfer rates of a lane, by PCIe generation.
constexpr std::array<std::string_view, 7> lane_speeds = {
    "", "2.5 GT/s PCIe", "5.0 GT/s PCIe", "8.0 GT/s PCIe", "16.0 GT/s PCIe", "32.0 GT/s PCIe", "64.0 GT/s PCIe"};

void write(const fs::path& file, std::string_view text) {
  fs::create_directories(file.parent_path());
  std::ofstream stream(file);
  stream << text << '\n';
  stream.close();
  if (!stream) throw fs::filesystem_error("cannot write", file, std::make_error_code(std::errc::io_error));
}

/// A relative link, so that the tree can be looked at from anywhere.
void link(const fs::path& from, const fs::path& to) {
  fs::create_directories(from.parent_path());
  fs::create_symlink(fs::relative(to, from.parent_path()), from);
}

struct PciFunction {
  std::string_view vendor, device, kind;
  int numa_node = 0;
};

class HostTree {
 public:
  HostTree(const Node& node, fs::path root) : node_(node), root_(std::move(root)) {}

  void write_all() {
    for (const auto& gpu : node_.gpus) write_gpu(gpu);
    for (const auto& nic : node_.nics) write_nic(nic);
    write_modules();
  }

 private:
  [[nodiscard]] fs::path sys() const { return root_ / "sys"; }

  void write_function(const fs::path& directory, const PciFunction& function) {
    write(directory / "vendor", function.vendor);
    write(directory / "device", function.device);
    write(directory / "class", function.kind);
    write(directory / "numa_node", fmt::format("{}", function.numa_node));
    write(directory / "local_cpulist", fmt::format("0-{}", std::max(1U, std::thread::hardware_concurrency()) - 1));
    link(sys() / "bus/pci/devices" / directory.filename(), directory);
  }

  fs::path bridge(const fs::path& below, const std::string& address, int numa_node) {
    const auto directory = below / address;
    if (fs::exists(directory)) return directory;
    write_function(directory, {"0x1000", "0xc030", "0x060400", numa_node});
    // Configuration space without any extended capability: no access control services.
    write(directory / "config", std::string(4095, '\0'));
    return directory;
  }

  /// Where the devices of a PCIe switch hang: socket, root port, the switch's way up, and below it a way down for each.
  fs::path below_switch(int bridge_number, int numa_node, int device_bus) {
    const auto first =
        std::find_if(node_.gpus.begin(), node_.gpus.end(), [&](const Gpu& gpu) { return gpu.bridge == bridge_number; });
    const int bus = std::stoi(first->pci_bus_id.substr(9, 2), nullptr, 16);
    const auto port =
        bridge(socket(numa_node), fmt::format("0000:{:02x}:{:02x}.0", 0xf0 + numa_node, bridge_number + 1), numa_node);
    const auto up = bridge(port, fmt::format("0000:{:02x}:00.0", bus - 2), numa_node);
    return bridge(up, fmt::format("0000:{:02x}:{:02x}.0", bus - 1, (device_bus - bus) & 0x1f), numa_node);
  }

  [[nodiscard]] fs::path socket(int numa_node) const {
    return sys() / "devices" / fmt::format("pci0000:{:02x}", 0xf0 + numa_node);
  }

  void write_link(const fs::path& directory, int generation, int generation_max, int width, int width_max) {
    write(directory / "current_link_speed", lane_speeds.at(static_cast<std::size_t>(generation)));
    write(directory / "max_link_speed", lane_speeds.at(static_cast<std::size_t>(generation_max)));
    write(directory / "current_link_width", fmt::format("{}", width));
    write(directory / "max_link_width", fmt::format("{}", width_max));
  }

  void bind_driver(const fs::path& directory, const std::string& name) {
    const auto driver = sys() / "bus/pci/drivers" / name;
    fs::create_directories(driver);
    link(directory / "driver", driver);
  }

  void write_gpu(const Gpu& gpu) {
    auto address = gpu.pci_bus_id.substr(4);
    std::transform(address.begin(), address.end(), address.begin(), [](unsigned char c) { return std::tolower(c); });
    const auto directory =
        below_switch(gpu.bridge, gpu.numa_node, std::stoi(address.substr(5, 2), nullptr, 16)) / address;
    write_function(directory, {"0x10de", "0xeeee", "0x030200", gpu.numa_node});
    write_link(directory, 1, gpu.pcie_gen_max, gpu.pcie_width,
               gpu.pcie_width_max);  // At rest, as this tree never moves.
    bind_driver(directory, "nvidia");
  }

  fs::path nic_parent(const Nic& nic) {
    const auto near =
        std::find_if(node_.gpus.begin(), node_.gpus.end(), [&](const Gpu& gpu) { return gpu.slot == nic.near_gpu; });
    const int bus = std::stoi(nic.pci_bus_id.substr(5, 2), nullptr, 16);
    if (near != node_.gpus.end()) return below_switch(near->bridge, nic.numa_node, bus);
    return bridge(socket(nic.numa_node), fmt::format("0000:{:02x}:{:02x}.1", 0xf0 + nic.numa_node, bus & 0x1f),
                  nic.numa_node);
  }

  void write_nic(const Nic& nic) {
    const auto directory = nic_parent(nic) / nic.pci_bus_id;
    write_function(directory, {"0x15b3", "0x1021", nic.kind == Transport::ib ? "0x020700" : "0x020000", nic.numa_node});
    const int generation = nic.full_rate > 200e9 ? 5 : 4;
    write_link(directory, generation, generation, 16, 16);
    bind_driver(directory, "mlx5_core");
    if (nic.kind != Transport::socket) write_rdma(nic, directory / "infiniband" / nic.name);
    write_interface(nic, directory);
  }

  void write_rdma(const Nic& nic, const fs::path& device) {
    const bool ib = nic.kind == Transport::ib;
    const auto guid = mix(static_cast<std::uint64_t>(nic.node) << 8 | static_cast<std::uint64_t>(nic.slot));
    write(device / "node_guid", fmt::format("{:04x}:{:04x}:{:04x}:{:04x}", guid >> 48, (guid >> 32) & 0xffffU,
                                            (guid >> 16) & 0xffffU, guid & 0xffffU));
    write(device / "fw_ver", "28.39.1002");
    write(device / "hca_type", "MT4129");
    write(device / "board_id", "EMU0000000001");
    write(device / "node_type", "1: CA");
    const auto port = device / "ports/1";
    write(port / "rate", rate_text(nic.rate / 1e9));
    write(port / "state", nic.up ? "4: ACTIVE" : "1: DOWN");
    write(port / "phys_state", nic.up ? "5: LinkUp" : "2: Polling");
    write(port / "link_layer", ib ? "InfiniBand" : "Ethernet");
    write(port / "lid", fmt::format("0x{:x}", ib && nic.up ? 1 + nic.node * 64 + nic.slot : 0));
    for (const char* name : {"port_xmit_data", "port_rcv_data", "port_xmit_packets", "port_rcv_packets", "symbol_error",
                             "link_error_recovery", "link_downed", "port_rcv_errors", "port_xmit_discards",
                             "local_link_integrity_errors", "excessive_buffer_overrun_errors", "port_xmit_wait"}) {
      write(port / "counters" / name, "0");
    }
    for (const char* name : {"out_of_sequence", "packet_seq_err", "local_ack_timeout_err", "rnr_nak_retry_err",
                             "np_cnp_sent", "rp_cnp_handled", "rx_write_requests"}) {
      write(port / "hw_counters" / name, "0");
    }
    link(device / "device", device.parent_path().parent_path());
    link(sys() / "class/infiniband" / nic.name, device);
  }

  void write_interface(const Nic& nic, const fs::path& directory) {
    const char* prefix = nic.kind == Transport::ib ? "ib" : nic.kind == Transport::roce ? "rdma" : "net";
    const auto name = fmt::format("{}{}", prefix, nic.slot);
    const auto interface = directory / "net" / name;
    write(interface / "operstate", nic.up ? "up" : "down");
    write(interface / "speed", nic.up ? fmt::format("{:.0f}", nic.rate / 1e6) : "-1");
    write(interface / "mtu", nic.kind == Transport::ib ? "4092" : "9000");
    write(interface / "address", fmt::format("02:00:00:{:02x}:{:02x}:01", nic.node, nic.slot));
    write(interface / "dev_port", "0");
    write(interface / "carrier_changes", "1");
    for (const char* counter : {"rx_bytes", "tx_bytes", "rx_errors", "tx_errors", "rx_dropped", "tx_dropped"}) {
      write(interface / "statistics" / counter, "0");
    }
    link(interface / "device", directory);
    link(sys() / "class/net" / name, interface);
  }

  /// As the kernel names the rates of InfiniBand, four lanes wide where a generation has that rate.
  static std::string rate_text(double gbit) {
    struct Named {
      double gbit;
      std::string_view name;
    };
    constexpr std::array<Named, 6> names = {
        {{800, "4X XDR"}, {400, "4X NDR"}, {200, "4X HDR"}, {100, "4X EDR"}, {50, "1X HDR"}, {25, "1X EDR"}}};
    const auto at = std::find_if(names.begin(), names.end(), [gbit](const Named& named) { return named.gbit == gbit; });
    return fmt::format("{:g} Gb/sec ({})", gbit, at == names.end() ? "4X" : at->name);
  }

  /// GPUDirect RDMA needs this module; without it the NICs cannot reach the cards' memory.
  void write_modules() {
    const bool direct = std::any_of(node_.nics.begin(), node_.nics.end(), [](const Nic& nic) { return nic.gdr; });
    write(root_ / "proc/modules", direct
                                      ? "mlx5_core 1 0 - Live 0x0\nnvidia 1 1 - Live 0x0\nnvidia_peermem 1 0 - Live 0x0"
                                      : "mlx5_core 1 0 - Live 0x0\nnvidia 1 0 - Live 0x0");
  }

  const Node& node_;
  fs::path root_;
};

}  // namespace

void write_host(const Node& node, const fs::path& root) { HostTree(node, root).write_all(); }

}  // namespace emulator
