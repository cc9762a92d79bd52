#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "tests/emulator/model/environment.hpp"
#include "tests/emulator/tests/support.hpp"

namespace emulator {
namespace {

using test::cluster_of;
using ::testing::HasSubstr;

const std::string healthy = "[[nodes]]\ngpus = { product = \"h100-sxm5-80gb\", count = 8 }\nnics = { count = 8 }\n";

std::string complaint(const std::string& text, const std::string& overlay = {}) {
  try {
    cluster_of(text, overlay);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no complaint";
}

TEST(ClusterFile, AllClustersOfTheTreeCanBeRead) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(test::emulator_file("clusters"))) {
    SCOPED_TRACE(entry.path());
    EXPECT_NO_THROW(Cluster::read(entry.path()));
    ++files;
  }
  EXPECT_GE(files, 6);
}

TEST(ClusterFile, NodesCardsAndNicsOfTheH100Cluster) {
  const auto cluster = Cluster::read(test::emulator_file("clusters/h100-4x8.toml"));
  ASSERT_EQ(cluster.nodes().size(), 4U);
  std::set<std::string> uuids;
  for (const auto& node : cluster.nodes()) {
    ASSERT_EQ(node.gpus.size(), 8U);
    ASSERT_EQ(node.nics.size(), 8U);
    EXPECT_EQ(node.interconnect, Interconnect::nvswitch);
    EXPECT_TRUE(node.nvls);
    std::set<std::string> buses;
    for (const auto& gpu : node.gpus) {
      EXPECT_TRUE(gpu.uuid.starts_with("GPU-emu"));
      EXPECT_EQ(gpu.uuid.size(), 40U);
      EXPECT_EQ(gpu.nvlinks_up(), 18);
      EXPECT_EQ(gpu.numa_node, gpu.slot / 4);
      uuids.insert(gpu.uuid);
      buses.insert(gpu.pci_bus_id.substr(4));
    }
    for (const auto& nic : node.nics) {
      EXPECT_EQ(nic.near_gpu, nic.slot);
      EXPECT_DOUBLE_EQ(nic.rate, 400e9);
      buses.insert(nic.pci_bus_id);
    }
    EXPECT_EQ(buses.size(), 16U);
  }
  EXPECT_EQ(uuids.size(), 32U);
  EXPECT_EQ(cluster.nodes()[3].host, "node03");
}

TEST(ClusterFile, L40sHaveNoNvlink) {
  const auto cluster = Cluster::read(test::emulator_file("clusters/l40s-2x8.toml"));
  const auto& node = cluster.nodes()[1];
  EXPECT_EQ(node.interconnect, Interconnect::none);
  EXPECT_TRUE(node.gpus[0].nvlinks.empty());
  EXPECT_EQ(node.nics[1].near_gpu, 4);
  EXPECT_EQ(cluster.fabric().transport, Transport::roce);
}

TEST(ClusterFile, SixteenCardsHaveBusesOfTheirOwn) {
  const auto cluster =
      cluster_of("[[nodes]]\ngpus = { product = \"v100-sxm2-32gb\", count = 16 }\nnics = { count = 32 }\n");
  std::set<std::string> buses;
  for (const auto& gpu : cluster.nodes()[0].gpus) buses.insert(gpu.pci_bus_id.substr(9));
  for (const auto& nic : cluster.nodes()[0].nics) {
    std::string bus = nic.pci_bus_id.substr(5);
    for (auto& letter : bus) letter = static_cast<char>(std::toupper(letter));
    buses.insert(bus);
  }
  EXPECT_EQ(buses.size(), 48U);
}

TEST(ClusterFile, BridgesJoinPairs) {
  const auto cluster =
      cluster_of("[[nodes]]\ngpus = { product = \"a100-pcie-80gb\", count = 3, interconnect = \"bridge\" }\n");
  const auto& gpus = cluster.nodes()[0].gpus;
  EXPECT_EQ(gpus[0].bridge_peer, 1);
  EXPECT_EQ(gpus[1].bridge_peer, 0);
  EXPECT_EQ(gpus[2].bridge_peer, -1);
  EXPECT_TRUE(gpus[2].nvlinks.empty());
}

TEST(ClusterFile, OverlayReplacesSettingsAndAddsFaults) {
  const auto cluster = cluster_of(healthy + "[[fault]]\nkind = \"p2p_off\"\ngpu = 0\n",
                                  "seed = 9\nnoise_sigma = 0.0\ndevice = \"zero\"\n[fabric]\noversubscription = 3\n"
                                  "[[fault]]\nkind = \"half_memory\"\ngpu = 1\n");
  EXPECT_EQ(cluster.seed(), 9U);
  EXPECT_EQ(cluster.noise_sigma(), 0);
  EXPECT_TRUE(cluster.zero_time());
  EXPECT_EQ(cluster.fabric().oversubscription, 3);
  EXPECT_FALSE(cluster.nodes()[0].gpus[0].peer_to_peer);
  EXPECT_NE(cluster.nodes()[0].gpus[1].fault(FaultKind::half_memory), nullptr);
}

struct Bad {
  std::string name, text, words;
};
void PrintTo(const Bad& bad, std::ostream* out) { *out << bad.name; }

class BadFile : public ::testing::TestWithParam<Bad> {};

TEST_P(BadFile, IsRefusedWithTheLine) { EXPECT_THAT(complaint(GetParam().text), HasSubstr(GetParam().words)); }

std::string node_with(const std::string& lines) { return "[[nodes]]\n" + lines + "\n"; }
std::string with_fault(const std::string& lines) { return healthy + "[[fault]]\n" + lines + "\n"; }

INSTANTIATE_TEST_SUITE_P(
    All, BadFile,
    ::testing::Values(
        Bad{"syntax", "[[nodes", ":1:"}, Bad{"empty", "", "at least one [[nodes]]"},
        Bad{"unknown_key", "sed = 1\n" + healthy, ":1: sed: no such key here"},
        Bad{"unknown_node_key", node_with("gpu = 1"), ":2: gpu: no such key here"},
        Bad{"wrong_type", "seed = \"x\"\n" + healthy, ":1: seed: an integer"},
        Bad{"negative_seed", "seed = -1\n" + healthy, ":1: seed: an integer"},
        Bad{"noise_too_large", "noise_sigma = 2.0\n" + healthy, ":1: noise_sigma: 2 is not in 0 to 1"},
        Bad{"not_a_number", "noise_sigma = nan\n" + healthy, ":1: noise_sigma"},
        Bad{"no_product", node_with("gpus = { count = 2 }"), "no id ''"},
        Bad{"unknown_product", node_with("gpus = { product = \"h101\" }"), ":2: product: no id 'h101'"},
        Bad{"too_many_cards", node_with("gpus = { product = \"l40s\", count = 17 }"), "17 is not in 1 to 16"},
        Bad{"nvlink_of_l40s", node_with("gpus = { product = \"l40s\", interconnect = \"nvswitch\" }"), "no NVLink"},
        Bad{"numa_list", node_with("gpus = { product = \"l40s\", count = 2, numa = [0] }"), "one number for each GPU"},
        Bad{"near_list", node_with("nics = { count = 2, near_gpu = [0] }"), "one number for each NIC"},
        Bad{"transport", healthy + "[fabric]\ntransport = \"token ring\"\n", "none of ib, roce, socket"},
        Bad{"hosts_and_count", node_with("hosts = [\"a\", \"b\"]\ncount = 3"), "another number of names"},
        Bad{"fault_without_kind", with_fault("gpu = 0"), "'kind' is missing"},
        Bad{"unknown_fault", with_fault("kind = \"gremlin\""), ":5: kind: 'gremlin' is none of power_cap"},
        Bad{"fault_needs_watts", with_fault("kind = \"power_cap\""), ":5: kind: the fault needs 'watts'"},
        Bad{"fault_of_other_key", with_fault("kind = \"half_memory\"\nwatts = 3"), ":6: watts: no such key here"},
        Bad{"no_such_node", with_fault("kind = \"half_memory\"\nnode = 1"), ":6: node: 1 is not in 0 to 0"},
        Bad{"no_such_host", with_fault("kind = \"half_memory\"\nnode = \"node07\""), "no host is called 'node07'"},
        Bad{"no_such_gpu", with_fault("kind = \"half_memory\"\ngpu = 8"), ":6: gpu: 8 is not in 0 to 7"},
        Bad{"no_such_nic", with_fault("kind = \"dead_nic\"\nnic = [0, 8]"), ":6: nic: 8 is not in 0 to 7"},
        Bad{"gpu_of_a_nic_fault", with_fault("kind = \"dead_nic\"\ngpu = 1"), ":6: gpu: no such key here"},
        Bad{"renamed_to_nothing", with_fault("kind = \"renamed\""), "needs 'product'"},
        Bad{"renamed_to_unknown", with_fault("kind = \"renamed\"\nproduct = \"h101\""), "no such id"}),
    [](const auto& bad) { return bad.param.name; });

TEST(ClusterFile, OverlayTellsItsOwnLine) {
  EXPECT_THAT(complaint(healthy, "\n\nseed = true\n"), HasSubstr(":3: seed"));
  EXPECT_THAT(complaint(healthy, "[[nodes]]\n"), HasSubstr("nodes: no such key here"));
}

TEST(ClusterFile, AMissingFileIsNamed) { EXPECT_THROW(Cluster::read("/nonexistent/cluster.toml"), ConfigError); }

TEST(ClusterFileDeathTest, ABadFileEndsTheProcessWith99) {
  EXPECT_EXIT(
      {
        ::setenv("ASSAY_EMULATOR_CLUSTER", "/nonexistent/cluster.toml", 1);
        Cluster::current();
      },
      ::testing::ExitedWithCode(99), "/nonexistent/cluster.toml: no such file");
}

}  // namespace
}  // namespace emulator
