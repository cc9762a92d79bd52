#include "inventory/gpus.hpp"

#include <gmock/gmock.h>
#include <stdlib.h>

#include "inventory/nvml/nvml.hpp"
#include "tests/inventory/planted_root.hpp"

namespace assay {
namespace {

using assay::testing::PlantedRoot;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// FAKE_NVML while it lives.
class Asked {
 public:
  explicit Asked(const char* words) { setenv("FAKE_NVML", words, 1); }
  Asked(const Asked&) = delete;
  Asked& operator=(const Asked&) = delete;
  ~Asked() { unsetenv("FAKE_NVML"); }
};

void plant_gpu(PlantedRoot& root, const std::string& address, const std::string& driver,
               const char* kind = "0x030200") {
  const auto directory = "/sys/devices/pci0000:00/" + address;
  root.write(directory + "/vendor", "0x10de");
  root.write(directory + "/device", "0x2330");
  root.write(directory + "/class", kind);
  root.write(directory + "/numa_node", "1");
  root.write(directory + "/local_cpulist", "4-7");
  if (!driver.empty()) {
    root.directory("/sys/bus/pci/drivers/" + driver);
    root.link(directory + "/driver", "/sys/bus/pci/drivers/" + driver);
  }
  root.link("/sys/bus/pci/devices/" + address, directory);
}

GpuInventory inventory(const SystemRoot& root = PlantedRoot()) {
  return read_gpus(root, open_gpu_library(FAKE_NVML_FILE));
}
GpuInventory old_inventory() { return read_gpus(PlantedRoot(), open_gpu_library(OLD_NVML_FILE)); }

TEST(Gpus, AreNumberedByTheirPlaceOnTheBus) {
  const auto gpus = inventory().gpus;
  ASSERT_THAT(gpus, SizeIs(3));
  EXPECT_EQ(gpus[0].pci_bus_id, "0000:0a:00.0");
  EXPECT_EQ(gpus[0].uuid.value(), "GPU-1");
  EXPECT_EQ(gpus[1].pci_bus_id, "0000:1b:00.0");
  EXPECT_EQ(gpus[1].uuid.value(), "GPU-0");
  EXPECT_EQ(gpus[2].number, 2);
}

TEST(Gpus, EverythingThatTheLibraryTells) {
  const auto gpu = inventory().gpus.at(1);
  EXPECT_EQ(gpu.state, GpuState::ok);
  EXPECT_EQ(gpu.name.value(), "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(gpu.serial.value(), "1650123456789");
  EXPECT_EQ(gpu.capability.value(), 90);
  EXPECT_EQ(gpu.memory.value(), std::int64_t{80} << 30);
  EXPECT_EQ(gpu.memory_used.value(), std::int64_t{1} << 30);
  EXPECT_EQ(gpu.utilization.value(), 0.25);
  EXPECT_EQ(gpu.temperature.value(), 31);
  EXPECT_EQ(gpu.clocks.sm.value(), 345e6);
  EXPECT_EQ(gpu.clocks.sm_max.value(), 1980e6);
  EXPECT_EQ(gpu.clocks.memory_application.value(), 2619e6);
  EXPECT_EQ(gpu.clocks.event_reasons.value(), 1);
  EXPECT_EQ(gpu.power.usage.value(), 71.5);
  EXPECT_EQ(gpu.power.limit_min.value(), 200);
  EXPECT_EQ(gpu.power.limit_max.value(), 700);
  EXPECT_EQ(gpu.compute_mode.value(), "exclusive_process");
  EXPECT_EQ(gpu.virtualization.value(), "code 99");
  EXPECT_EQ(gpu.fabric_state.value(), "completed");
  EXPECT_EQ(gpu.fabric_clique.value(), "abababababababababababababababab.7");
  EXPECT_TRUE(gpu.mig.value());
}

TEST(Gpus, HealthAndPcie) {
  const auto gpu = inventory().gpus.at(1);
  EXPECT_TRUE(gpu.health.ecc_enabled.value());
  EXPECT_EQ(gpu.health.corrected.value(), 0);
  EXPECT_EQ(gpu.health.corrected_lifetime.value(), 1);
  EXPECT_EQ(gpu.health.uncorrected.value(), 10);
  EXPECT_EQ(gpu.health.uncorrected_lifetime.value(), 11);
  EXPECT_EQ(gpu.health.rows_remapped.value(), 2);
  EXPECT_TRUE(gpu.health.remap_pending.value());
  EXPECT_FALSE(gpu.health.remap_failed.value());
  EXPECT_EQ(gpu.health.retired_pages.value(), 3);
  EXPECT_EQ(gpu.pcie.generation.value(), 1);
  EXPECT_EQ(gpu.pcie.generation_max.value(), 5);
  EXPECT_EQ(gpu.pcie.width.value(), 8);
  EXPECT_EQ(gpu.pcie.width_max.value(), 16);
  EXPECT_EQ(gpu.pcie.replays.value(), 3);
}

TEST(Gpus, EveryLinkWithItsOtherEndAndErrors) {
  const auto links = inventory().gpus.at(1).nvlinks.value();
  ASSERT_THAT(links, SizeIs(4));
  EXPECT_TRUE(links[0].active);
  EXPECT_FALSE(links[2].active);
  EXPECT_EQ(links[0].remote_kind.value(), "switch");
  EXPECT_EQ(links[0].remote.value(), "0000:c1:00.0");
  EXPECT_EQ(links[1].replays.value(), 1);
  EXPECT_EQ(links[1].recoveries.value(), 2);
  EXPECT_EQ(links[1].crc_errors.value(), 3 + 4);
}

TEST(Gpus, WhatIsRefusedIsUnknownAndSaysWhy) {
  const auto gpu = inventory().gpus.at(0);
  EXPECT_EQ(gpu.state, GpuState::ok);
  EXPECT_FALSE(gpu.serial.known());
  EXPECT_THAT(gpu.serial.why(), HasSubstr("not supported by this GPU"));
  EXPECT_THAT(gpu.health.corrected.why(), HasSubstr("needs privileges"));
  EXPECT_THAT(gpu.nvlinks.value(), IsEmpty());  // a card without links has none: that is known
  EXPECT_FALSE(gpu.mig.value());
  EXPECT_THAT(not_run(gpu), Contains(HasSubstr("ecc_corrected, ecc_uncorrected, ecc_corrected_lifetime")));
}

TEST(Gpus, AnUnknownErrorIsQuoted) {
  const nvml::Library library(FAKE_NVML_FILE);
  EXPECT_EQ(library.why("nvmlX", 999), "nvmlX: Unknown Error (999)");
}

TEST(Gpus, ALostCardIsARowWithWhatIsKnown) {
  PlantedRoot root;
  plant_gpu(root, "0000:5e:00.0", "nvidia");
  const auto gpus = inventory(root).gpus;
  ASSERT_THAT(gpus, SizeIs(3));
  EXPECT_EQ(gpus[2].state, GpuState::lost);
  EXPECT_EQ(gpus[2].pci_bus_id, "0000:5e:00.0");
  EXPECT_EQ(gpus[2].numa_node.value(), 1);
  EXPECT_THAT(gpus[2].problem, HasSubstr("fallen off the bus"));
  EXPECT_THAT(not_run(gpus[2]), SizeIs(1));
}

TEST(Gpus, ACardLostWhileItIsReadIsLost) {
  const Asked asked("lose_first");
  const auto gpus = inventory().gpus;
  ASSERT_THAT(gpus, SizeIs(3));
  const auto lost =
      std::count_if(gpus.begin(), gpus.end(), [](const auto& gpu) { return gpu.state == GpuState::lost; });
  EXPECT_EQ(lost, 2);
}

TEST(Gpus, BothStructuresOfOneNameAreUnderstood) {
  for (const char* words : {"", "large_process"}) {
    const Asked asked(words);
    const auto processes = inventory().gpus.at(1).processes.value();
    ASSERT_THAT(processes, SizeIs(2));
    EXPECT_EQ(processes[0].pid, 100);
    EXPECT_EQ(processes[0].memory.value(), std::int64_t{1} << 30);
    EXPECT_EQ(processes[1].pid, 101) << words;
    EXPECT_FALSE(processes[1].memory.known());
  }
}

TEST(Gpus, OnTheBusWithoutADriver) {
  PlantedRoot root;
  plant_gpu(root, "0000:2a:00.0", "");
  plant_gpu(root, "0000:2b:00.0", "vfio-pci", "0x030000");
  plant_gpu(root, "0000:2c:00.0", "nvidia");
  plant_gpu(root, "0000:05:00.0", "nvidia", "0x068000");  // a switch, no GPU
  const auto gpus = read_gpus(root, open_gpu_library("libnone.so")).gpus;
  ASSERT_THAT(gpus, SizeIs(3));
  EXPECT_EQ(gpus[0].state, GpuState::no_driver);
  EXPECT_EQ(gpus[1].state, GpuState::no_driver);
  EXPECT_THAT(gpus[1].problem, HasSubstr("vfio-pci"));
  EXPECT_EQ(gpus[2].state, GpuState::hidden);
  EXPECT_THAT(gpus[2].problem, HasSubstr("libnone.so"));
}

TEST(Gpus, BoundToTheDriverButNotShownIsHidden) {
  PlantedRoot root;
  plant_gpu(root, "0000:2c:00.0", "nvidia");
  plant_gpu(root, "0000:5e:00.0", "nvidia");
  const auto gpus = inventory(root).gpus;
  ASSERT_THAT(gpus, SizeIs(4));
  EXPECT_EQ(gpus[2].state, GpuState::hidden);
  EXPECT_THAT(gpus[2].problem, HasSubstr("not given to this job"));
  EXPECT_EQ(gpus[3].state, GpuState::lost);
}

TEST(Gpus, TheOneCardThatIsMissingInTheListIsTheLostOne) {
  PlantedRoot root;
  plant_gpu(root, "0000:2c:00.0", "nvidia");  // the library does not find its address, but counts three cards
  const auto gpus = inventory(root).gpus;
  ASSERT_THAT(gpus, SizeIs(3));
  EXPECT_EQ(gpus[2].pci_bus_id, "0000:2c:00.0");
  EXPECT_EQ(gpus[2].state, GpuState::lost);
}

TEST(Gpus, NoDriverIsOneSentence) {
  const Asked asked("no_driver");
  const auto access = open_gpu_library(FAKE_NVML_FILE);
  EXPECT_EQ(access.library, nullptr);
  EXPECT_THAT(access.why_not, HasSubstr("driver is not loaded"));
  const auto facts = read_gpus(PlantedRoot(), access);
  EXPECT_THAT(facts.gpus, IsEmpty());
  EXPECT_THAT(facts.driver.driver.why(), HasSubstr("driver is not loaded"));
}

TEST(Gpus, AnOldLibraryIsAskedByItsOldNames) {
  const auto old = old_inventory();
  ASSERT_THAT(old.gpus, SizeIs(1));
  const auto& gpu = old.gpus[0];
  EXPECT_EQ(gpu.name.value(), "Tesla V100");
  EXPECT_EQ(gpu.pci_bus_id, "0000:3b:00.0");
  EXPECT_EQ(gpu.memory.value(), std::int64_t{16} << 30);
  EXPECT_EQ(gpu.temperature.value(), 40);
  EXPECT_EQ(gpu.clocks.event_reasons.value(), 0x80);
  EXPECT_EQ(gpu.processes.value().at(0).pid, 77);
  EXPECT_EQ(gpu.fabric_state.value(), "in_progress");
}

TEST(Gpus, MissingFunctionsLeaveUnknownFactsAndAreNamed) {
  const auto old = old_inventory();
  EXPECT_THAT(old.driver.missing, Contains("nvmlDeviceGetUUID"));
  EXPECT_THAT(old.gpus.at(0).uuid.why(), HasSubstr("no nvmlDeviceGetUUID"));
  EXPECT_FALSE(old.gpus.at(0).nvlinks.known());
  EXPECT_FALSE(old.driver.driver.known());
  EXPECT_FALSE(old.driver.emulated);
}

TEST(ForeignProcesses, OwnOnesAreLeftOut) {
  PlantedRoot root;
  root.link("/proc/self/ns/pid", "/proc/self/ns/pid:[4026531836]");
  GpuFacts gpu;
  gpu.processes = std::vector<GpuProcess>{{100, {}}, {200, {}}, {300, {}}};
  EXPECT_EQ(foreign_processes(root, gpu, {200, 999}).value(), 2);
  EXPECT_EQ(foreign_processes(root, gpu, {100, 200, 300}).value(), 0);
}

TEST(ForeignProcesses, NumbersOfAnotherNamespaceMayBeOurOwn) {
  PlantedRoot root;
  root.directory("/proc/300");
  GpuFacts gpu;
  gpu.processes = std::vector<GpuProcess>{{100, {}}, {200, {}}};
  EXPECT_FALSE(foreign_processes(root, gpu, {1, 2}).known());
  EXPECT_EQ(foreign_processes(root, gpu, {1}).value(), 1);
  gpu.processes = std::vector<GpuProcess>{{300, {}}};
  EXPECT_EQ(foreign_processes(root, gpu, {1}).value(), 1);
  gpu.processes = Fact<std::vector<GpuProcess>>::unknown("refused");
  EXPECT_FALSE(foreign_processes(root, gpu, {1}).known());
}

}  // namespace
}  // namespace assay
