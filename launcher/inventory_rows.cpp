#include "launcher/inventory_rows.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "inventory/gpus.hpp"

namespace assay {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::int32_t small(const Fact<std::int64_t>& fact) { return static_cast<std::int32_t>(fact.value_or(-1)); }

std::int32_t count(const Fact<std::vector<int>>& cpus) {
  return cpus.known() ? static_cast<std::int32_t>(cpus.value().size()) : -1;
}

double quota(const Fact<double>& cpus) { return cpus.known() && std::isfinite(cpus.value()) ? cpus.value() : nan; }

std::int32_t yes_no(const Fact<bool>& fact) {
  if (!fact.known()) return -1;
  return fact.value() ? 1 : 0;
}

void add_identity(results::GpuRow& row, const GpuFacts& gpu) {
  row.gpu = gpu.number;
  row.state = to_string(gpu.state);
  row.problem = gpu.problem;
  row.name = gpu.name.value_or("");
  row.uuid = gpu.uuid.value_or("");
  row.serial = gpu.serial.value_or("");
  row.pci_bus_id = gpu.pci_bus_id;
  row.numa_node = small(gpu.numa_node);
  row.nic = gpu.nic.value_or("");
  row.capability = small(gpu.capability);
  row.memory_bytes = gpu.memory.value_or(-1);
  row.memory_used_bytes = gpu.memory_used.value_or(-1);
  row.mig_enabled = yes_no(gpu.mig);
  row.compute_mode = gpu.compute_mode.value_or("");
  row.virtualization = gpu.virtualization.value_or("");
}

void add_speeds(results::GpuRow& row, const GpuFacts& gpu) {
  row.sm_clock_max_hz = gpu.clocks.sm_max.value_or(nan);
  row.sm_clock_application_hz = gpu.clocks.sm_application.value_or(nan);
  row.memory_clock_max_hz = gpu.clocks.memory_max.value_or(nan);
  row.memory_clock_application_hz = gpu.clocks.memory_application.value_or(nan);
  row.power_limit_watts = gpu.power.limit.value_or(nan);
  row.power_limit_default_watts = gpu.power.limit_default.value_or(nan);
  row.power_limit_max_watts = gpu.power.limit_max.value_or(nan);
  row.temperature_celsius = gpu.temperature.value_or(nan);
}

void add_health(results::GpuRow& row, const GpuFacts& gpu) {
  row.ecc_enabled = yes_no(gpu.health.ecc_enabled);
  row.ecc_corrected = gpu.health.corrected.value_or(-1);
  row.ecc_uncorrected = gpu.health.uncorrected.value_or(-1);
  row.ecc_corrected_lifetime = gpu.health.corrected_lifetime.value_or(-1);
  row.ecc_uncorrected_lifetime = gpu.health.uncorrected_lifetime.value_or(-1);
  row.rows_remapped = gpu.health.rows_remapped.value_or(-1);
  row.remap_pending = yes_no(gpu.health.remap_pending);
  row.remap_failed = yes_no(gpu.health.remap_failed);
  row.retired_pages = gpu.health.retired_pages.value_or(-1);
}

void add_links(results::GpuRow& row, const GpuFacts& gpu) {
  row.pcie_generation = small(gpu.pcie.generation);
  row.pcie_generation_max = small(gpu.pcie.generation_max);
  row.pcie_width = small(gpu.pcie.width);
  row.pcie_width_max = small(gpu.pcie.width_max);
  row.pcie_replays = gpu.pcie.replays.value_or(-1);
  row.fabric_state = gpu.fabric_state.value_or("");
  row.fabric_clique = gpu.fabric_clique.value_or("");
  if (!gpu.nvlinks.known()) return;
  row.nvlinks = static_cast<std::int32_t>(gpu.nvlinks.value().size());
  row.nvlinks_active = 0;
  for (const NvlinkFacts& link : gpu.nvlinks.value()) {
    if (link.active) ++row.nvlinks_active;
    row.nvlink_version = std::max(row.nvlink_version, small(link.version));
    for (const auto* errors : {&link.replays, &link.recoveries, &link.crc_errors})
      if (errors->known()) row.nvlink_errors = std::max<std::int64_t>(0, row.nvlink_errors) + errors->value();
  }
}

}  // namespace

results::NodeRow node_row(const NodeFacts& facts, std::int32_t node) {
  constexpr std::int64_t memlock_unknown = -2;
  results::NodeRow row;
  row.node = node;
  row.host = facts.host.value_or("");
  row.cpu_model = facts.cpu.model.value_or("");
  row.sockets = small(facts.cpu.sockets);
  row.cores = small(facts.cpu.cores);
  row.threads = small(facts.cpu.threads);
  row.numa_nodes = small(facts.cpu.numa_nodes);
  row.cpus_granted = count(facts.cpu.grant.granted);
  row.cpu_quota = quota(facts.cpu.grant.quota);
  row.memory_bytes = facts.memory.installed.value_or(-1);
  row.memory_granted_bytes = facts.memory.granted.value_or(-1);
  row.swap_bytes = facts.memory.swap.value_or(-1);
  row.huge_pages_bytes = facts.memory.huge_pages.value_or(-1);
  row.transparent_huge_pages = facts.memory.transparent_huge_pages.value_or("");
  row.shm_bytes = facts.memory.shm.value_or(-1);
  row.memlock_bytes = facts.limits.memlock.value_or(memlock_unknown);
  row.nofile = facts.limits.nofile.value_or(-1);
  row.os = facts.system.os.value_or("");
  row.kernel = facts.system.kernel.value_or("");
  row.virtualization = facts.system.virtualization.value_or("");
  row.clock_source = facts.system.clock_source.value_or("");
  row.clock_cost_seconds = facts.system.clock_cost.value_or(nan);
  row.governor = facts.cpu.governor.value_or("");
  return row;
}

std::vector<results::NicRow> nic_rows(const NodeFacts& facts, std::int32_t node) {
  std::vector<results::NicRow> rows;
  for (const auto& nic : facts.nics) {
    results::NicRow row;
    row.node = node;
    row.name = nic.name;
    row.driver = nic.driver.value_or("");
    row.state = nic.state.value_or("");
    row.speed_bits_per_second = nic.speed.value_or(nan);
    row.mtu = small(nic.mtu);
    row.numa_node = small(nic.numa_node);
    row.address = nic.address.value_or("");
    row.rdma_device = nic.rdma_device;
    row.rdma_state = nic.rdma_state;
    row.physical_state = nic.physical_state.value_or("");
    row.link_layer = nic.link_layer;
    row.rate = nic.rate.value_or("");
    row.firmware = nic.firmware.value_or("");
    row.guid = nic.guid.value_or("");
    row.board = nic.board.value_or("");
    row.pci_bus_id = nic.pci_bus_id;
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<results::NvlinkRow> nvlink_rows(const NodeFacts& facts, std::int32_t node) {
  std::vector<results::NvlinkRow> rows;
  for (const GpuFacts& gpu : facts.gpus) {
    for (const NvlinkFacts& link : gpu.nvlinks.value_or({})) {
      rows.push_back({node, gpu.number, link.link, link.active ? 1 : 0, small(link.version),
                      link.remote_kind.value_or(""), link.remote.value_or(""), link.replays.value_or(-1),
                      link.recoveries.value_or(-1), link.crc_errors.value_or(-1)});
    }
  }
  return rows;
}

std::vector<results::DistanceRow> distance_rows(const NodeFacts& facts, std::int32_t node) {
  std::vector<results::DistanceRow> rows;
  for (const DistanceFacts& distance : facts.distances)
    rows.push_back({node, distance.from, distance.to, std::string(to_string(distance.path)), distance.nvlinks});
  return rows;
}

std::vector<results::GpuRow> gpu_rows(const NodeFacts& facts, std::int32_t node,
                                      const std::vector<Fact<std::int64_t>>& foreign) {
  std::vector<results::GpuRow> rows;
  for (std::size_t i = 0; i < facts.gpus.size(); ++i) {
    const GpuFacts& gpu = facts.gpus[i];
    results::GpuRow row;
    row.node = node;
    add_identity(row, gpu);
    add_speeds(row, gpu);
    add_health(row, gpu);
    add_links(row, gpu);
    row.driver = facts.gpu_driver.driver.value_or("");
    if (i < foreign.size()) row.foreign_processes = small(foreign[i]);
    row.not_run = fmt::format("{}", fmt::join(not_run(gpu), "; "));
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<results::DiskRow> disk_rows(const NodeFacts& facts, std::int32_t node) {
  std::vector<results::DiskRow> rows;
  for (const auto& disk : facts.disks) {
    results::DiskRow row;
    row.node = node;
    row.path = disk.path;
    row.device = disk.device;
    row.transport = disk.transport;
    row.model = disk.model.value_or("");
    row.rotational = yes_no(disk.rotational);
    row.size_bytes = disk.size.value_or(-1);
    row.file_system = disk.file_system;
    row.free_bytes = disk.free.value_or(-1);
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<results::SoftwareRow> software_rows(const NodeFacts& facts, std::int32_t node) {
  std::vector<results::SoftwareRow> rows;
  for (const auto& software : facts.software) {
    rows.push_back({node, software.name, software.version, software.detail});
  }
  return rows;
}

}  // namespace assay
