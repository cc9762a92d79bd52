#include "launcher/inventory_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "core/layout.hpp"
#include "core/units.hpp"
#include "launcher/columns.hpp"
#include "launcher/inventory_gpu_table.hpp"

namespace assay {
namespace {

std::string bytes(std::int64_t value) {
  return value == 0 ? "none" : format_quantity(static_cast<double>(value), Dimension::bytes);
}

template <class T>
std::string shown(const Fact<T>& fact, const std::function<std::string(const T&)>& text) {
  return fact.known() ? text(fact.value()) : "unknown: " + fact.why();
}

std::string shown(const Fact<std::string>& fact) { return fact.known() ? fact.value() : "unknown: " + fact.why(); }

std::string shown_bytes(const Fact<std::int64_t>& fact) { return shown<std::int64_t>(fact, bytes); }

std::string shown_count(const Fact<std::int64_t>& fact) {
  return shown<std::int64_t>(fact, [](std::int64_t number) { return std::to_string(number); });
}

std::string cpu_list(const std::vector<int>& cpus) {
  return fmt::format("{} CPU{}: {}", cpus.size(), cpus.size() == 1 ? "" : "s", format_ranks(cpus));
}

/// A heading over lines of "label  value".
std::string group(const std::string& heading, const std::vector<std::pair<std::string, std::string>>& lines) {
  std::string text = "\n" + heading + "\n";
  for (const auto& [label, value] : lines) text += fmt::format("  {:<18}{}\n", label, value);
  return text;
}

std::string same(const std::string& text) { return text; }
std::string number(const std::int64_t& value) { return std::to_string(value); }
std::string or_dash(const std::string& text) { return text.empty() ? "-" : text; }

std::string cpu_text(const CpuFacts& cpu) {
  const auto& grant = cpu.grant;
  const auto quota = [](double cpus) { return std::isinf(cpus) ? "none" : fmt::format("{:g} CPUs", cpus); };
  auto granted = shown<std::vector<int>>(grant.granted, cpu_list);
  if (!grant.basis.empty()) granted += " (" + grant.basis + ")";
  return group("CPU", {{"model", shown(cpu.model)},
                       {"sockets", shown_count(cpu.sockets)},
                       {"cores", shown_count(cpu.cores)},
                       {"threads", shown_count(cpu.threads)},
                       {"NUMA nodes", shown_count(cpu.numa_nodes)},
                       {"granted", granted},
                       {"bound here", shown<std::vector<int>>(grant.bound, cpu_list)},
                       {"cgroup quota", shown<double>(grant.quota, quota)},
                       {"governor", shown(cpu.governor)},
                       {"steal since boot", shown<double>(cpu.steal_share, [](double share) {
                          return fmt::format("{:.2f} %", 100 * share);
                        })}});
}

std::string memory_text(const NodeFacts& node) {
  const auto memlock = [](std::int64_t value) { return value == LimitFacts::unlimited ? "unlimited" : bytes(value); };
  const auto files = [](std::int64_t value) {
    return value == LimitFacts::unlimited ? "unlimited" : std::to_string(value);
  };
  return group("Memory", {{"installed", shown_bytes(node.memory.installed)},
                          {"granted", shown_bytes(node.memory.granted)},
                          {"swap", shown_bytes(node.memory.swap)},
                          {"huge pages", shown_bytes(node.memory.huge_pages)},
                          {"transparent", shown(node.memory.transparent_huge_pages)},
                          {"/dev/shm", shown_bytes(node.memory.shm)}}) +
         group("Limits", {{"locked memory", shown<std::int64_t>(node.limits.memlock, memlock)},
                          {"open files", shown<std::int64_t>(node.limits.nofile, files)}});
}

std::string system_text(const SystemFacts& system) {
  const auto cost = [](double seconds) { return format_quantity(seconds, Dimension::seconds) + " a read"; };
  return group("System", {{"OS", shown(system.os)},
                          {"kernel", shown(system.kernel)},
                          {"virtualization", shown(system.virtualization)},
                          {"clock", shown(system.clock_source)},
                          {"clock cost", shown<double>(system.clock_cost, cost)}});
}

/// What a port has that no column shows.
void note_port(const NicFacts& nic, Notes& notes) {
  if (nic.rdma_device.empty()) return;
  notes.add(nic.name, fmt::format("{} port {}: {}, {}, firmware {}, GUID {}, board {}", nic.rdma_device, nic.rdma_port,
                                  nic.rate.value_or("rate not told"), nic.physical_state.value_or("state not told"),
                                  nic.firmware.value_or("not told"), nic.guid.value_or("not told"),
                                  nic.board.value_or("not told")));
}

std::string nics_text(const std::vector<NicFacts>& nics) {
  Columns columns({"NAME", "STATE", "SPEED", "MTU", "NUMA", "DRIVER", "RDMA", "ADDRESS"});
  Notes notes;
  bool any = false;
  for (const auto& nic : nics) {
    note_port(nic, notes);
    if (nic.is_virtual && nic.state.value_or("") == "down") {
      notes.add(nic.name, "made by the kernel and down");
      continue;
    }
    any = true;
    const auto speed = [](double bits) { return fmt::format("{:g} Gbit/s", bits / 1e9); };
    const auto rdma =
        nic.rdma_device.empty() ? "-" : fmt::format("{} {} {}", nic.rdma_device, nic.link_layer, nic.rdma_state);
    columns.add({nic.name, notes.cell<std::string>(nic.name, "state", nic.state, same),
                 notes.cell<double>(nic.name, "speed", nic.speed, speed),
                 notes.cell<std::int64_t>(nic.name, "MTU", nic.mtu, number),
                 nic.numa_node.known() ? number(nic.numa_node.value()) : "-",
                 nic.is_virtual ? "virtual" : notes.cell<std::string>(nic.name, "driver", nic.driver, same), rdma,
                 notes.cell<std::string>(nic.name, "address", nic.address, same)});
  }
  return "\nNetwork\n" + (any ? columns.text() : "  no interface but the loopback\n") + notes.text();
}

std::string disks_text(const std::vector<DiskFacts>& disks) {
  if (disks.empty()) return "\nDisks\n  none that the kernel shows\n";
  Columns columns({"DEVICE", "TRANSPORT", "MEDIUM", "SIZE", "FREE", "FILE SYSTEM", "MODEL", "BEHIND"});
  Notes notes;
  for (const auto& disk : disks) {
    const auto name = disk.device.empty() ? disk.path : disk.device;
    const auto medium = [](bool rotational) { return std::string(rotational ? "rotating" : "solid state"); };
    columns.add({or_dash(disk.device), disk.transport, disk.rotational.known() ? medium(disk.rotational.value()) : "-",
                 notes.cell<std::int64_t>(name, "size", disk.size, bytes),
                 disk.path.empty() ? "-" : notes.cell<std::int64_t>(name, "free space", disk.free, bytes),
                 or_dash(disk.file_system), or_dash(disk.model.value_or("")), or_dash(disk.path)});
    if (!disk.transport_note.empty()) {
      notes.add(name, (disk.transport == "unknown" ? "transport unknown: " : "") + disk.transport_note);
    }
  }
  return "\nDisks\n" + columns.text() + notes.text();
}

std::string software_text(const std::vector<SoftwareFacts>& software) {
  if (software.empty()) return {};
  Columns columns({"NAME", "VERSION", ""});
  for (const auto& entry : software) columns.add({entry.name, entry.version, entry.detail});
  return "\nSoftware\n" + columns.text();
}

}  // namespace

std::string inventory_table(const NodeFacts& facts) {
  const std::string mark = facts.emulated ? std::string(emulated_notice) + "\n" : "";
  return mark + "Node " + shown(facts.host) + "\n" + cpu_text(facts.cpu) + memory_text(facts) +
         system_text(facts.system) + gpus_text(facts) + nics_text(facts.nics) + distances_text(facts) +
         disks_text(facts.disks) + software_text(facts.software);
}

}  // namespace assay
