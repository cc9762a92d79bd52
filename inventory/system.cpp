#include "inventory/system.hpp"

#include <array>
#include <optional>
#include <utility>

#include "inventory/text.hpp"

namespace assay {
namespace {

using Text = Fact<std::string>;
using Mark = std::pair<std::string_view, std::string_view>;

Text read_os(const SystemRoot& root) {
  for (const auto* path : {"/etc/os-release", "/usr/lib/os-release"}) {
    for (const auto& line : split(root.read(path).value_or(""), '\n')) {
      constexpr std::string_view key = "PRETTY_NAME=";
      if (!line.starts_with(key)) continue;
      std::string name = line.substr(key.size());
      std::erase(name, '"');
      return name;
    }
  }
  return Text::unknown("no PRETTY_NAME in /etc/os-release");
}

/// Empty when nothing tells of a container.
std::string find_container(const SystemRoot& root) {
  constexpr std::array<Mark, 5> files{{{"/.dockerenv", "docker"},
                                       {"/run/.containerenv", "podman"},
                                       {"/.singularity.d", "apptainer"},
                                       {"/var/run/secrets/kubernetes.io", "kubernetes"},
                                       {"/run/secrets/kubernetes.io", "kubernetes"}}};
  for (const auto& [path, name] : files) {
    if (root.exists(path)) return std::string(name);
  }
  const auto systemd = root.read("/run/systemd/container");
  if (systemd.known() && !systemd.value().empty()) return systemd.value();
  constexpr std::array<Mark, 6> groups{{{"kubepods", "kubernetes"},
                                        {"docker", "docker"},
                                        {"libpod", "podman"},
                                        {"crio", "cri-o"},
                                        {"containerd", "containerd"},
                                        {"lxc", "lxc"}}};
  const auto first_process = root.read("/proc/1/cgroup").value_or("");
  for (const auto& [part, name] : groups) {
    if (first_process.find(part) != std::string::npos) return std::string(name);
  }
  return {};
}

std::string name_from_signature(const std::string& signature) {
  constexpr std::array<Mark, 6> signatures{{{"KVMKVMKVM", "kvm"},
                                            {"Microsoft Hv", "hyper-v"},
                                            {"VMwareVMware", "vmware"},
                                            {"XenVMMXenVMM", "xen"},
                                            {"TCGTCGTCGTCG", "qemu"},
                                            {"bhyve bhyve ", "bhyve"}}};
  for (const auto& [text, name] : signatures) {
    if (signature.starts_with(text)) return std::string(name);
  }
  return {};
}

/// Names that hypervisors and clouds put into the firmware tables of their guests; empty when none is known. The same
/// clouds sell bare metal, so that this alone is no proof of a hypervisor.
std::string name_from_firmware(const SystemRoot& root) {
  constexpr std::array<Mark, 10> marks{{{"QEMU", "qemu"},
                                        {"KVM", "kvm"},
                                        {"OpenStack", "kvm"},
                                        {"Google Compute Engine", "kvm"},
                                        {"Amazon EC2", "kvm"},
                                        {"VMware", "vmware"},
                                        {"Virtual Machine", "hyper-v"},
                                        {"VirtualBox", "virtualbox"},
                                        {"Xen", "xen"},
                                        {"Alibaba Cloud ECS", "kvm"}}};
  std::string firmware;
  for (const auto* file : {"sys_vendor", "product_name"}) {
    firmware += root.read(std::string("/sys/class/dmi/id/") + file).value_or("") + "\n";
  }
  for (const auto& [text, name] : marks) {
    if (firmware.find(text) != std::string::npos) return std::string(name);
  }
  return {};
}

/// Empty on bare metal.
Text find_hypervisor(const SystemRoot& root) {
  const auto xen = root.read("/sys/hypervisor/type");
  if (xen.known() && !xen.value().empty()) return xen;
  const auto info = root.read("/proc/cpuinfo");
  if (!info.known()) return Text::unknown(info.why());
  const auto firmware = name_from_firmware(root);
  const auto flags = field(info.value(), "flags");
  if (!flags) {  // only x86 has the flag
    if (!firmware.empty()) return firmware;
    if (root.exists("/sys/class/dmi/id/product_name")) return std::string();
    return Text::unknown("this CPU does not tell of a hypervisor and there are no firmware tables");
  }
  if ((" " + *flags + " ").find(" hypervisor ") == std::string::npos) return std::string();
  const auto signature = name_from_signature(root.hypervisor_signature().value_or(""));
  if (!signature.empty()) return signature;
  return firmware.empty() ? std::string("unnamed hypervisor") : firmware;
}

}  // namespace

Text read_virtualization(const SystemRoot& root) {
  const auto container = find_container(root);
  const auto hypervisor = find_hypervisor(root);
  if (!hypervisor.known()) return container.empty() ? hypervisor : Text(container);
  if (container.empty()) return hypervisor.value().empty() ? Text(std::string("none")) : hypervisor;
  return hypervisor.value().empty() ? container : container + " on " + hypervisor.value();
}

SystemFacts read_system(const SystemRoot& root) {
  SystemFacts system;
  system.os = read_os(root);
  system.kernel = root.read("/proc/sys/kernel/osrelease");
  system.virtualization = read_virtualization(root);
  system.clock_source = root.read("/sys/devices/system/clocksource/clocksource0/current_clocksource");
  return system;
}

}  // namespace assay
