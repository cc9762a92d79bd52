#include "launcher/inventory_rows.hpp"

#include <cmath>
#include <limits>

namespace assay {

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

std::int32_t narrow(const Fact<std::int64_t>& fact, std::int64_t unknown) {
  return static_cast<std::int32_t>(fact.value_or(unknown));
}

}  // namespace

results::NodeRow node_row(const NodeFacts& facts, std::int32_t node) {
  results::NodeRow row;
  row.node = node;
  row.host = facts.host.value_or("");
  row.cpu_model = facts.cpu.model.value_or("");
  row.sockets = narrow(facts.cpu.sockets, 0);
  row.cores = narrow(facts.cpu.cores, 0);
  row.threads = narrow(facts.cpu.threads, 0);
  row.numa_nodes = narrow(facts.cpu.numa_nodes, 0);
  row.cpus_granted = static_cast<std::int32_t>(facts.cpu.grant.granted.value_or({}).size());
  const double quota = facts.cpu.grant.quota.value_or(not_a_number);
  row.cpu_quota = std::isinf(quota) ? not_a_number : quota;
  row.memory_bytes = facts.memory.installed.value_or(0);
  row.memory_granted_bytes = facts.memory.granted.value_or(0);
  row.swap_bytes = facts.memory.swap.value_or(0);
  row.huge_pages_bytes = facts.memory.huge_pages.value_or(0);
  row.transparent_huge_pages = facts.memory.transparent_huge_pages.value_or("");
  row.shm_bytes = facts.memory.shm.value_or(0);
  row.memlock_bytes = facts.limits.memlock.value_or(0);
  row.nofile = facts.limits.nofile.value_or(0);
  row.os = facts.system.os.value_or("");
  row.kernel = facts.system.kernel.value_or("");
  row.virtualization = facts.system.virtualization.value_or("");
  row.clock_source = facts.system.clock_source.value_or("");
  row.clock_cost_seconds = facts.system.clock_cost.value_or(not_a_number);
  row.governor = facts.cpu.governor.value_or("");
  return row;
}

std::vector<results::NicRow> nic_rows(const NodeFacts& facts, std::int32_t node) {
  std::vector<results::NicRow> rows;
  for (const NicFacts& nic : facts.nics)
    rows.push_back({node, nic.name, nic.driver.value_or(""), nic.state.value_or(""), nic.speed.value_or(not_a_number),
                    narrow(nic.mtu, 0), narrow(nic.numa_node, -1), nic.address.value_or(""), nic.rdma_device});
  return rows;
}

std::vector<results::DiskRow> disk_rows(const NodeFacts& facts, std::int32_t node) {
  std::vector<results::DiskRow> rows;
  for (const DiskFacts& disk : facts.disks) {
    results::DiskRow row;
    row.node = node;
    row.path = disk.path;
    row.device = disk.device;
    row.transport = disk.transport;
    row.model = disk.model.value_or("");
    row.rotational = disk.rotational.known() ? static_cast<std::int32_t>(disk.rotational.value()) : -1;
    row.size_bytes = disk.size.value_or(0);
    row.file_system = disk.file_system;
    row.free_bytes = disk.free.value_or(0);
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<results::SoftwareRow> software_rows(const NodeFacts& facts, std::int32_t node) {
  std::vector<results::SoftwareRow> rows;
  for (const SoftwareFacts& item : facts.software) rows.push_back({node, item.name, item.version, item.detail});
  return rows;
}

}  // namespace assay
