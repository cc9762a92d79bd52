#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "launcher/inventory_json.hpp"
#include "launcher/inventory_rows.hpp"
#include "launcher/inventory_table.hpp"

namespace assay {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

NodeFacts known_node() {
  NodeFacts node;
  node.host = std::string("gpu07");
  node.cpu.model = std::string("Intel(R) Xeon(R) Platinum 8480C");
  node.cpu.sockets = 2;
  node.cpu.cores = 112;
  node.cpu.threads = 224;
  node.cpu.numa_nodes = 2;
  node.cpu.governor = std::string("performance");
  node.cpu.steal_share = 0.0;
  node.cpu.grant = {std::vector<int>{0, 1, 2, 3}, std::vector<int>{0, 1, 2}, std::vector<int>{1}, "a reason", 2.5};
  node.memory = {std::int64_t{1} << 41, std::int64_t{1} << 40, 0, 0, std::string("madvise"), std::int64_t{1} << 36};
  node.limits = {LimitFacts::unlimited, 1048576};
  node.system = {std::string("Ubuntu 22.04"), std::string("5.15"), std::string("none"), std::string("tsc"), 22e-9};
  NicFacts nic;
  nic.name = "ib0";
  nic.driver = std::string("mlx5_core");
  nic.state = std::string("up");
  nic.speed = 400e9;
  nic.mtu = 4092;
  nic.numa_node = 1;
  nic.address = std::string("00:11");
  nic.rdma_device = "mlx5_0";
  for (auto* fact : {&nic.physical_state, &nic.rate, &nic.firmware, &nic.guid, &nic.board}) *fact = std::string("told");
  nic.rdma_port = 1;
  nic.pci_bus_id = "0000:19:00.0";
  node.nics = {nic};
  DiskFacts disk;
  disk.path = "/scratch";
  disk.device = "nvme0n1";
  disk.transport = "nvme";
  disk.model = std::string("SAMSUNG");
  disk.rotational = false;
  disk.size = 3'840'000'000'000;
  disk.file_system = "xfs";
  disk.free = 1'000'000'000'000;
  node.disks = {disk};
  node.software = {{"mpi", "4.1.4", "Open MPI"}};
  for (auto* fact : {&node.gpu_driver.driver, &node.gpu_driver.library, &node.gpu_driver.cuda})
    *fact = std::string("580.65");
  node.xids = std::vector<XidFacts>{};
  return node;
}

/// Two cards, one of them lost, joined by nothing.
NodeFacts gpu_node() {
  NodeFacts node = known_node();
  GpuFacts gpu;
  gpu.name = std::string("NVIDIA H100 80GB HBM3");
  gpu.pci_bus_id = "0000:1b:00.0";
  gpu.nic = std::string("mlx5_0");
  gpu.memory = std::int64_t{80} << 30;
  gpu.clocks.sm_max = 1980e6;
  gpu.clocks.event_reasons = 0x84;
  gpu.power.limit = 700.0;
  gpu.pcie.width = 8;
  gpu.pcie.replays = 5;
  gpu.health.ecc_enabled = true;
  gpu.serial = Fact<std::string>::unknown("needs privileges");
  NvlinkFacts up;
  up.active = true;
  up.replays = 3;
  up.crc_errors = 4;
  NvlinkFacts down;
  down.link = 1;
  gpu.nvlinks = std::vector<NvlinkFacts>{up, down};
  GpuFacts lost;
  lost.number = 1;
  lost.state = GpuState::lost;
  lost.problem = "fallen off the bus";
  lost.pci_bus_id = "0000:2b:00.0";
  node.gpus = {gpu, lost};
  node.distances = {{"gpu0", "gpu1", Path::sys, 2}, {"gpu0", "mlx5_0", Path::pix, 0}, {"gpu1", "mlx5_0", Path::phb, 0}};
  node.xids = std::vector<XidFacts>{{120, "0000:2b:00.0", 79, "NVRM"}};
  return node;
}

TEST(InventoryTable, GpusWithWhatIsTheMatter) {
  const auto text = inventory_table(gpu_node());
  for (const auto* part :
       {"NVIDIA H100 80GB HBM3", "? of 80 GiB", "? of 1980", "? of 700", "1 of 2 up", "GPU 1: fallen off the bus",
        "GPU 0: NVLink 1 is down", "GPU 0: clocks: SW power cap, HW power brake", "NVLink 0: 7 errors",
        "NOT_RUN: GPU 0: serial: needs privileges", "Xid 79, GPU has fallen off the bus on 0000:2b:00.0, 2 minutes ago",
        "Distances", "NV2", "PIX", "PHB"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
  EXPECT_THAT(text, Not(HasSubstr("EMULATED")));
}

TEST(InventoryTable, EmulatedHardwareIsTheFirstThingSaid) {
  auto node = gpu_node();
  node.emulated = true;
  EXPECT_EQ(inventory_table(node).find("EMULATED"), 0U);
  EXPECT_EQ(inventory_json(node)["emulated"], true);
}

TEST(InventoryTable, ALogThatCannotBeReadIsNotRun) {
  auto node = gpu_node();
  node.xids = Fact<std::vector<XidFacts>>::unknown("Operation not permitted");
  EXPECT_THAT(inventory_table(node), HasSubstr("NOT_RUN: errors (Xid) in the kernel's log: Operation not permitted"));
}

TEST(InventoryJson, GpusLinksAndDistances) {
  const auto json = inventory_json(gpu_node());
  EXPECT_EQ(json["emulated"], false);
  EXPECT_EQ(json["gpus"][0]["memory_bytes"], std::int64_t{80} << 30);
  EXPECT_EQ(json["gpus"][0]["nvlinks"][0]["crc_errors"], 4);
  EXPECT_TRUE(json["gpus"][0]["serial"].is_null());
  EXPECT_EQ(json["unknown"]["/gpus/0/serial"], "needs privileges");
  EXPECT_EQ(json["gpus"][1]["state"], "lost");
  EXPECT_EQ(json["distances"][0]["nvlinks"], 2);
  EXPECT_EQ(json["xids"][0]["code"], 79);
}

TEST(InventoryRows, GpusCarryTheFacts) {
  const auto rows = gpu_rows(gpu_node(), 3, {Fact<std::int64_t>(2), Fact<std::int64_t>::unknown("")});
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].node, 3);
  EXPECT_EQ(rows[0].state, "ok");
  EXPECT_EQ(rows[0].rank, -1);
  EXPECT_EQ(rows[0].sm_clock_max_hz, 1980e6);
  EXPECT_TRUE(std::isnan(rows[0].power_limit_default_watts));
  EXPECT_EQ(rows[0].nvlinks, 2);
  EXPECT_EQ(rows[0].nvlinks_active, 1);
  EXPECT_EQ(rows[0].nvlink_errors, 7);
  EXPECT_EQ(rows[0].pcie_replays, 5);
  EXPECT_EQ(rows[0].foreign_processes, 2);
  EXPECT_THAT(rows[0].not_run, HasSubstr("serial: needs privileges"));
  EXPECT_EQ(rows[1].state, "lost");
  EXPECT_EQ(rows[1].nvlinks, -1);
  EXPECT_EQ(rows[1].memory_bytes, -1);
  EXPECT_EQ(rows[1].foreign_processes, -1);
  EXPECT_EQ(rows[1].not_run, "everything: fallen off the bus");
}

TEST(InventoryRows, LinksAndDistances) {
  const auto links = nvlink_rows(gpu_node(), 3);
  ASSERT_EQ(links.size(), 2U);
  EXPECT_EQ(links[0].active, 1);
  EXPECT_EQ(links[0].recoveries, -1);
  EXPECT_EQ(links[1].link, 1);
  const auto distances = distance_rows(gpu_node(), 3);
  ASSERT_EQ(distances.size(), 3U);
  EXPECT_EQ(distances[1].kind, "PIX");
}

/// Nothing known but the names of one interface and one disk.
NodeFacts unknown_node() {
  NodeFacts node;
  node.nics.emplace_back().name = "eth0";
  node.disks.emplace_back().path = "/scratch";
  node.disks[0].transport = "unknown";
  return node;
}

TEST(InventoryTable, ShowsValuesWithUnits) {
  const auto text = inventory_table(known_node());
  for (const auto* part : {"Node gpu07", "Intel(R) Xeon(R) Platinum 8480C", "3 CPUs: 0-2 (a reason)", "1 CPU: 1",
                           "2.5 CPUs", "2 TiB", "1 TiB", "64 GiB", "unlimited", "1048576", "22 ns a read", "400 Gbit/s",
                           "mlx5_0", "nvme0n1", "solid state", "/scratch", "Open MPI"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
  EXPECT_THAT(text, Not(HasSubstr("unknown")));
}

TEST(InventoryTable, UnknownSaysWhy) {
  auto node = unknown_node();
  node.cpu.governor = Fact<std::string>::unknown("the kernel shows none");
  node.nics[0].speed = Fact<double>::unknown("the driver is silent");
  const auto text = inventory_table(node);
  EXPECT_THAT(text, HasSubstr("unknown: the kernel shows none"));
  EXPECT_THAT(text, HasSubstr("eth0: speed unknown: the driver is silent"));
}

TEST(InventoryTable, RowsThatShareAReasonShareItsLine) {
  NodeFacts node;
  for (const auto* name : {"eth0", "eth1"}) node.nics.emplace_back().name = name;
  for (auto& nic : node.nics) nic.speed = Fact<double>::unknown("the driver is silent");
  EXPECT_THAT(inventory_table(node), HasSubstr("eth0, eth1: speed unknown: the driver is silent"));
}

TEST(InventoryTable, VirtualInterfacesThatAreDownTakeNoRow) {
  NodeFacts node;
  node.nics.emplace_back().name = "docker0";
  node.nics[0].is_virtual = true;
  node.nics[0].state = std::string("down");
  const auto text = inventory_table(node);
  EXPECT_THAT(text, HasSubstr("docker0: made by the kernel and down"));
  EXPECT_THAT(text, Not(HasSubstr("STATE")));
}

TEST(InventoryTable, ColumnsAreAligned) {
  auto node = known_node();
  node.nics.push_back(node.nics[0]);
  node.nics[1].name = "a_much_longer_name";
  const auto text = inventory_table(node);
  const auto column_of = [&](std::string_view line_start, std::string_view word) {
    const auto line = text.find(line_start);
    return text.find(word, line) - line;
  };
  EXPECT_EQ(column_of("\n  ib0 ", "400 Gbit/s"), column_of("\n  a_much_longer_name", "400 Gbit/s"));
  EXPECT_EQ(column_of("\n  NAME ", "SPEED"), column_of("\n  ib0 ", "400 Gbit/s"));
}

TEST(InventoryJson, KeepsNumbersAndNamesUnlimited) {
  const auto json = inventory_json(known_node());
  EXPECT_EQ(json["host"], "gpu07");
  EXPECT_EQ(json["cpu"]["cores"], 112);
  EXPECT_EQ(json["cpu"]["granted_cpus"], "0-2");
  EXPECT_EQ(json["cpu"]["granted_count"], 3);
  EXPECT_EQ(json["cpu"]["bound_cpus"], "1");
  EXPECT_EQ(json["cpu"]["quota_cpus"], 2.5);
  EXPECT_EQ(json["memory"]["granted_bytes"], std::int64_t{1} << 40);
  EXPECT_EQ(json["limits"]["memlock_bytes"], "unlimited");
  EXPECT_EQ(json["nics"][0]["speed_bits_per_second"], 400e9);
  EXPECT_EQ(json["disks"][0]["rotational"], false);
  EXPECT_EQ(json["software"][0]["version"], "4.1.4");
  EXPECT_TRUE(json["unknown"].empty());
}

TEST(InventoryJson, UnknownIsNullWithItsReason) {
  const auto json = inventory_json(unknown_node());
  EXPECT_TRUE(json["cpu"]["model"].is_null());
  EXPECT_TRUE(json["cpu"]["quota_cpus"].is_null());
  EXPECT_EQ(json["unknown"]["/cpu/model"], "not looked for");
  for (const auto& [pointer, reason] : json["unknown"].items()) {
    EXPECT_TRUE(json.at(nlohmann::ordered_json::json_pointer(pointer)).is_null()) << pointer;
    EXPECT_FALSE(reason.get<std::string>().empty()) << pointer;
  }
}

TEST(InventoryJson, NoQuotaIsUnlimited) {
  auto node = known_node();
  node.cpu.grant.quota = std::numeric_limits<double>::infinity();
  EXPECT_EQ(inventory_json(node)["cpu"]["quota_cpus"], "unlimited");
}

TEST(InventoryRows, CarryTheFacts) {
  const auto facts = known_node();
  const auto node = node_row(facts, 3);
  EXPECT_EQ(node.node, 3);
  EXPECT_EQ(node.host, "gpu07");
  EXPECT_EQ(node.sockets, 2);
  EXPECT_EQ(node.cores, 112);
  EXPECT_EQ(node.threads, 224);
  EXPECT_EQ(node.cpus_granted, 3);
  EXPECT_EQ(node.cpu_quota, 2.5);
  EXPECT_EQ(node.memory_bytes, std::int64_t{1} << 41);
  EXPECT_EQ(node.memory_granted_bytes, std::int64_t{1} << 40);
  EXPECT_EQ(node.memlock_bytes, -1);
  EXPECT_EQ(node.nofile, 1048576);
  EXPECT_EQ(node.clock_cost_seconds, 22e-9);
  const auto nic = nic_rows(facts, 3).at(0);
  EXPECT_EQ(nic.name, "ib0");
  EXPECT_EQ(nic.speed_bits_per_second, 400e9);
  EXPECT_EQ(nic.rdma_device, "mlx5_0");
  const auto disk = disk_rows(facts, 3).at(0);
  EXPECT_EQ(disk.path, "/scratch");
  EXPECT_EQ(disk.rotational, 0);
  EXPECT_EQ(disk.size_bytes, 3'840'000'000'000);
  EXPECT_EQ(software_rows(facts, 3).at(0).detail, "Open MPI");
}

TEST(InventoryRows, UnknownNeverLooksLikeAValue) {
  const auto facts = unknown_node();
  const auto node = node_row(facts, 0);
  EXPECT_EQ(node.cpus_granted, -1);
  EXPECT_TRUE(std::isnan(node.cpu_quota));
  EXPECT_EQ(node.memory_granted_bytes, -1);
  EXPECT_EQ(node.swap_bytes, -1);
  EXPECT_EQ(node.memlock_bytes, -2);
  EXPECT_TRUE(std::isnan(node.clock_cost_seconds));
  EXPECT_EQ(node.virtualization, "");
  const auto nic = nic_rows(facts, 0).at(0);
  EXPECT_TRUE(std::isnan(nic.speed_bits_per_second));
  EXPECT_EQ(nic.numa_node, -1);
  const auto disk = disk_rows(facts, 0).at(0);
  EXPECT_EQ(disk.rotational, -1);
  EXPECT_EQ(disk.free_bytes, -1);
}

TEST(InventoryRows, NoQuotaIsNotANumber) {
  auto facts = known_node();
  facts.cpu.grant.quota = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(std::isnan(node_row(facts, 0).cpu_quota));
}

}  // namespace
}  // namespace assay
