#include "launcher/inventory_rows.hpp"

#include <cmath>
#include <limits>

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
