#include "inventory/pci.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "inventory/text.hpp"

namespace assay {
namespace {

const std::string devices = "/sys/bus/pci/devices/";
constexpr std::int64_t nvidia = 0x10de;
constexpr std::int64_t vga_controller = 0x0300;
constexpr std::int64_t controller_3d = 0x0302;

std::int64_t read_hexadecimal(const SystemRoot& root, const std::string& path) {
  const auto text = root.read(path);
  return text.known() ? std::strtoll(text.value().c_str(), nullptr, 16) : 0;
}

/// "0000:1b:00.0": hexadecimal digits, two colons and a point.
bool is_address(std::string_view text) {
  return std::count(text.begin(), text.end(), ':') == 2 && text.find('.') != std::string_view::npos &&
         std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return std::isxdigit(c) || c == ':' || c == '.'; });
}

bool is_root(std::string_view text) { return text.rfind("pci", 0) == 0; }

/// The components of a path from the host bridge on.
std::vector<std::string> chain_of(const std::string& path) {
  std::vector<std::string> chain;
  for (const auto& part : split(path, '/')) {
    if (is_root(part)) chain.clear();
    if (is_root(part) || is_address(part)) chain.push_back(part);
  }
  return chain;
}

}  // namespace

std::string normal_pci_address(std::string_view text) {
  std::string address(trim(text));
  std::transform(address.begin(), address.end(), address.begin(), [](unsigned char c) { return std::tolower(c); });
  if (std::count(address.begin(), address.end(), ':') == 1) address = "0000:" + address;
  constexpr std::size_t domain_digits = 4;
  auto colon = address.find(':');
  while (colon != std::string::npos && colon > domain_digits && address.front() == '0') {
    address.erase(0, 1);
    --colon;
  }
  return address;
}

PciDevice read_pci_device(const SystemRoot& root, const std::string& address) {
  const std::string directory = devices + address;
  PciDevice device;
  device.address = address;
  device.vendor = read_hexadecimal(root, directory + "/vendor");
  device.device = read_hexadecimal(root, directory + "/device");
  device.kind = read_hexadecimal(root, directory + "/class");
  const auto driver = root.resolve(directory + "/driver");
  device.driver = driver.known() ? Fact<std::string>(base_name(driver.value()))
                                 : Fact<std::string>::unknown("no kernel driver is bound to it");
  device.numa_node = root.read_integer(directory + "/numa_node");
  if (device.numa_node.known() && device.numa_node.value() < 0)
    device.numa_node = Fact<std::int64_t>::unknown("the firmware names no NUMA node");
  const auto cpus = root.read(directory + "/local_cpulist");
  const auto list = parse_cpu_list(cpus.value_or(""));
  device.near_cpus = list && !list->empty() ? Fact<std::vector<int>>(*list)
                                            : Fact<std::vector<int>>::unknown("the kernel names no near CPUs");
  const auto path = root.resolve(directory);
  if (path.known()) device.chain = chain_of(path.value());
  return device;
}

std::string pci_address_behind(const SystemRoot& root, const std::string& link) {
  const auto path = root.resolve(link);
  if (!path.known()) return {};
  const auto chain = chain_of(path.value());
  return chain.size() < 2 ? std::string() : chain.back();
}

std::vector<PciDevice> read_pci_gpus(const SystemRoot& root) {
  std::vector<PciDevice> gpus;
  for (const auto& address : root.list(devices)) {
    if (read_hexadecimal(root, devices + address + "/vendor") != nvidia) continue;
    const auto kind = read_hexadecimal(root, devices + address + "/class") >> 8;
    if (kind == vga_controller || kind == controller_3d) gpus.push_back(read_pci_device(root, address));
  }
  return gpus;
}

}  // namespace assay
