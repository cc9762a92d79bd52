#include "inventory/nics.hpp"

#include <fmt/format.h>

#include <charconv>
#include <set>

#include "inventory/pci.hpp"
#include "inventory/text.hpp"

namespace assay {
namespace {

using Text = Fact<std::string>;
using Count = Fact<std::int64_t>;
using Number = Fact<double>;

const std::string rdma_class = "/sys/class/infiniband/";

Text read_driver(const SystemRoot& root, const std::string& directory) {
  const auto driver = root.resolve(directory + "/device/driver");
  if (!driver.known()) return driver;
  return base_name(driver.value());
}

Count read_numa_node(const SystemRoot& root, const std::string& directory) {
  const auto node = root.read_integer(directory + "/device/numa_node");
  if (node.known() && node.value() < 0) return Count::unknown("the firmware names no NUMA node");
  return node;
}

/// "speed" of an interface is in Mbit/s, -1 when the driver does not know.
Number read_interface_speed(const SystemRoot& root, const std::string& directory) {
  const auto megabits = root.read_integer(directory + "/speed");
  if (!megabits.known()) return Number::unknown(megabits.why());
  if (megabits.value() <= 0) return Number::unknown("the driver reports no speed");
  return 1e6 * static_cast<double>(megabits.value());
}

/// "400 Gb/sec (4X NDR)"
Number read_port_rate(const SystemRoot& root, const std::string& port) {
  const auto text = root.read(port + "/rate");
  if (!text.known()) return Number::unknown(text.why());
  const auto fields = words(text.value());
  double gigabits = 0;
  const bool number =
      !fields.empty() &&
      std::from_chars(fields[0].data(), fields[0].data() + fields[0].size(), gigabits).ec == std::errc{};
  if (!number || fields.size() < 2 || fields[1] != "Gb/sec" || gigabits <= 0) {
    return Number::unknown(port + "/rate: '" + text.value() + "'");
  }
  return 1e9 * gigabits;
}

/// The port of `device` that belongs to an interface: dev_port counts from 0, RDMA ports from 1.
std::int64_t port_of(const SystemRoot& root, const std::string& device, std::int64_t dev_port) {
  return root.exists(fmt::format("{}{}/ports/{}", rdma_class, device, dev_port + 1)) ? dev_port + 1 : 1;
}

/// "4: ACTIVE" -> "ACTIVE"
Text read_port_state(const SystemRoot& root, const std::string& path) {
  const auto text = root.read(path);
  if (!text.known()) return text;
  const auto colon = text.value().find(':');
  return colon == std::string::npos ? text : Text(std::string(trim(std::string_view(text.value()).substr(colon + 1))));
}

void add_rdma(const SystemRoot& root, NicFacts& nic, const std::string& device, std::int64_t dev_port) {
  nic.rdma_port = port_of(root, device, dev_port);
  const auto port = fmt::format("{}{}/ports/{}", rdma_class, device, nic.rdma_port);
  nic.rdma_device = device;
  nic.rdma_state = read_port_state(root, port + "/state").value_or("");
  nic.physical_state = read_port_state(root, port + "/phys_state");
  nic.link_layer = root.read(port + "/link_layer").value_or("");
  nic.rate = root.read(port + "/rate");
  nic.firmware = root.read(rdma_class + device + "/fw_ver");
  nic.guid = root.read(rdma_class + device + "/node_guid");
  nic.board = root.read(rdma_class + device + "/board_id");
  if (nic.speed.known()) return;
  const auto rate = read_port_rate(root, port);
  if (rate.known()) nic.speed = rate;
}

NicFacts read_interface(const SystemRoot& root, const std::string& name) {
  const std::string directory = "/sys/class/net/" + name;
  NicFacts nic;
  nic.name = name;
  nic.is_virtual = !root.exists(directory + "/device");
  nic.driver = read_driver(root, directory);
  if (nic.is_virtual) nic.driver = Text::unknown("made by the kernel, no device behind it");
  nic.state = root.read(directory + "/operstate");
  nic.speed = read_interface_speed(root, directory);
  nic.mtu = root.read_integer(directory + "/mtu");
  nic.numa_node = read_numa_node(root, directory);
  nic.address = root.read(directory + "/address");
  if (!nic.is_virtual) nic.pci_bus_id = pci_address_behind(root, directory + "/device");
  for (auto* fact : {&nic.physical_state, &nic.rate, &nic.firmware, &nic.guid, &nic.board})
    *fact = Text::unknown("no RDMA device");
  const auto devices = root.list(directory + "/device/infiniband");
  if (!devices.empty()) add_rdma(root, nic, devices.front(), root.read_integer(directory + "/dev_port").value_or(0));
  return nic;
}

NicFacts read_rdma_only(const SystemRoot& root, const std::string& device) {
  const std::string none = "no network interface on this device";
  NicFacts nic;
  nic.name = device;
  nic.driver = read_driver(root, rdma_class + device);
  nic.numa_node = read_numa_node(root, rdma_class + device);
  nic.mtu = Count::unknown(none);
  nic.address = Text::unknown(none);
  nic.speed = Number::unknown("the port reports no rate");
  nic.pci_bus_id = pci_address_behind(root, rdma_class + device + "/device");
  add_rdma(root, nic, device, 0);
  nic.state = nic.rdma_state.empty() ? Text::unknown("the port reports no state") : Text(nic.rdma_state);
  return nic;
}

}  // namespace

std::vector<NicFacts> read_nics(const SystemRoot& root) {
  std::vector<NicFacts> nics;
  std::set<std::string> seen;
  for (const auto& name : root.list("/sys/class/net")) {
    if (name == "lo" || !root.exists("/sys/class/net/" + name + "/operstate")) continue;
    nics.push_back(read_interface(root, name));
    seen.insert(nics.back().rdma_device);
  }
  for (const auto& device : root.list("/sys/class/infiniband")) {
    if (!seen.contains(device)) nics.push_back(read_rdma_only(root, device));
  }
  return nics;
}

}  // namespace assay
