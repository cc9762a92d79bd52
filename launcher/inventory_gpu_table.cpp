#include "launcher/inventory_gpu_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>

#include "core/layout.hpp"
#include "core/units.hpp"
#include "inventory/gpus.hpp"
#include "inventory/kernel_log.hpp"
#include "launcher/columns.hpp"

namespace assay {
namespace {

template <class T>
std::string or_question(const Fact<T>& fact, double unit = 1) {
  if (!fact.known()) return "?";
  if constexpr (std::is_same_v<T, std::string>)
    return fact.value();
  else
    return fmt::format("{:.0f}", static_cast<double>(fact.value()) / unit);
}

std::string memory_cell(const GpuFacts& gpu) {
  if (!gpu.memory.known()) return "?";
  const auto text = [](std::int64_t bytes) {
    return bytes == 0 ? std::string("0") : format_quantity(static_cast<double>(bytes), Dimension::bytes);
  };
  return (gpu.memory_used.known() ? text(gpu.memory_used.value()) : "?") + " of " + text(gpu.memory.value());
}

std::string links_cell(const GpuFacts& gpu) {
  if (!gpu.nvlinks.known()) return "?";
  const auto& links = gpu.nvlinks.value();
  const auto up = std::count_if(links.begin(), links.end(), [](const NvlinkFacts& link) { return link.active; });
  return links.empty() ? "none" : fmt::format("{} of {} up", up, links.size());
}

void add_row(const GpuFacts& gpu, Columns& columns) {
  if (gpu.state != GpuState::ok) {
    columns.add({std::to_string(gpu.number), std::string(to_string(gpu.state)), gpu.pci_bus_id});
    return;
  }
  constexpr double mega = 1e6;
  columns.add({std::to_string(gpu.number), gpu.name.value_or("?"), gpu.pci_bus_id, or_question(gpu.numa_node),
               gpu.nic.value_or("?"), memory_cell(gpu),
               or_question(gpu.clocks.sm, mega) + " of " + or_question(gpu.clocks.sm_max, mega),
               or_question(gpu.power.usage) + " of " + or_question(gpu.power.limit), or_question(gpu.temperature),
               fmt::format("{}x{} of {}x{}", or_question(gpu.pcie.generation), or_question(gpu.pcie.width),
                           or_question(gpu.pcie.generation_max), or_question(gpu.pcie.width_max)),
               links_cell(gpu), or_question(gpu.health.uncorrected)});
}

/// What is worth a line although the table has no column for it.
void note_remarkable(const GpuFacts& gpu, Notes& notes) {
  const std::string name = fmt::format("GPU {}", gpu.number);
  if (gpu.state != GpuState::ok) notes.add(name, gpu.problem);
  if (gpu.mig.value_or(false)) notes.add(name, "partitioned into instances (MIG)");
  if (gpu.health.remap_failed.value_or(false)) notes.add(name, "no spare memory row is left: replace the card");
  if (gpu.health.remap_pending.value_or(false)) notes.add(name, "a memory row waits to be replaced at the next reset");
  if (gpu.health.ecc_enabled.known() && !gpu.health.ecc_enabled.value()) notes.add(name, "ECC is off");
  if (gpu.clocks.event_reasons.value_or(0) != 0)
    notes.add(name, "clocks: " + reason_names(gpu.clocks.event_reasons.value()));
  if (const auto count = gpu.processes.value_or({}).size(); count > 0)
    notes.add(name, fmt::format("{} process{} on the card", count, count == 1 ? "" : "es"));
  for (const NvlinkFacts& link : gpu.nvlinks.value_or({})) {
    if (!link.active) notes.add(name, fmt::format("NVLink {} is down", link.link));
    const auto errors = link.replays.value_or(0) + link.recoveries.value_or(0) + link.crc_errors.value_or(0);
    if (errors > 0) notes.add(name, fmt::format("NVLink {}: {} errors", link.link, errors));
  }
}

std::string driver_line(const GpuDriverFacts& driver) {
  if (!driver.driver.known()) return "  driver unknown: " + driver.driver.why() + "\n";
  return fmt::format("  driver {}, serves CUDA {}\n", driver.driver.value(),
                     driver.cuda.value_or("of unknown version"));
}

std::string xid_lines(const NodeFacts& facts) {
  if (!facts.xids.known()) return "  NOT_RUN: errors (Xid) in the kernel's log: " + facts.xids.why() + "\n";
  std::string lines;
  for (const XidFacts& xid : facts.xids.value())
    lines +=
        fmt::format("  Xid {}{}{} on {}, {:.0f} minutes ago\n", xid.code, xid_meaning(xid.code).empty() ? "" : ", ",
                    xid_meaning(xid.code), xid.pci_bus_id, xid.age / 60);
  return lines.empty() ? "  no errors (Xid) in the kernel's log\n" : lines;
}

/// Reasons that hold for all GPUs are told once.
std::string not_run_lines(const NodeFacts& facts) {
  std::map<std::string, std::vector<int>> reasons;
  for (const GpuFacts& gpu : facts.gpus) {
    if (gpu.state != GpuState::ok) continue;
    for (const auto& reason : not_run(gpu)) reasons[reason].push_back(gpu.number);
  }
  std::string lines;
  for (const auto& [reason, gpus] : reasons)
    lines += fmt::format("  NOT_RUN: GPU {}: {}\n", format_ranks(gpus), reason);
  return lines;
}

}  // namespace

std::string reason_names(std::int64_t bits) {
  static constexpr std::array<std::string_view, 9> names{"idle",        "application clocks", "SW power cap",
                                                         "HW slowdown", "sync boost",         "SW thermal",
                                                         "HW thermal",  "HW power brake",     "display clocks"};
  std::vector<std::string> words;
  for (std::size_t bit = 0; bit < 63; ++bit) {
    if ((bits >> bit & 1) == 0) continue;
    words.push_back(bit < names.size() ? std::string(names[bit]) : fmt::format("bit {}", bit));
  }
  return words.empty() ? "none" : fmt::format("{}", fmt::join(words, ", "));
}

std::string gpus_text(const NodeFacts& facts) {
  const std::string heading = "\nGPUs\n";
  if (facts.gpus.empty()) {
    const auto& driver = facts.gpu_driver.driver;
    return heading + "  none" + (driver.known() ? "" : " on the PCI bus; " + driver.why()) + "\n";
  }
  Columns columns(
      {"GPU", "NAME", "PCI", "NUMA", "NIC", "MEMORY", "SM MHz", "POWER W", "degC", "PCIE", "NVLINK", "ECC UNC"});
  Notes notes;
  for (const GpuFacts& gpu : facts.gpus) {
    add_row(gpu, columns);
    note_remarkable(gpu, notes);
  }
  return heading + driver_line(facts.gpu_driver) + columns.text() + notes.text() + not_run_lines(facts) +
         xid_lines(facts);
}

std::string distances_text(const NodeFacts& facts) {
  if (facts.gpus.empty() || facts.distances.empty()) return {};
  std::vector<std::string> ends;
  std::map<std::pair<std::string, std::string>, std::string> cells;
  const auto remember = [&](const std::string& end) {
    if (std::find(ends.begin(), ends.end(), end) == ends.end()) ends.push_back(end);
  };
  for (const DistanceFacts& distance : facts.distances) {
    remember(distance.from);
    remember(distance.to);
    const std::string path = distance.path == Path::unknown ? "?" : std::string(to_string(distance.path));
    const std::string cell = distance.nvlinks > 0 ? fmt::format("NV{}", distance.nvlinks) : path;
    cells[{distance.from, distance.to}] = cells[{distance.to, distance.from}] = cell;
  }
  std::vector<std::string> titles{""};
  titles.insert(titles.end(), ends.begin(), ends.end());
  Columns columns(titles);
  for (const auto& from : ends) {
    std::vector<std::string> row{from};
    for (const auto& to : ends) row.push_back(from == to ? "X" : cells[{from, to}]);
    columns.add(std::move(row));
  }
  return "\nDistances (NV: NVLinks, PIX: one PCIe switch, PXB: several bridges, PHB: host bridge, NODE: NUMA node, "
         "SYS: "
         "between NUMA nodes)\n" +
         columns.text();
}

}  // namespace assay
