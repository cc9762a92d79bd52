#include <dlfcn.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <memory>
#include <set>
#include <string>

#include "tests/emulator/model/state.hpp"
#include "tests/emulator/nvml/abi.hpp"
#include "tests/emulator/tests/support.hpp"

namespace emulator {
namespace {

using namespace nvml;  // NOLINT: the structures of NVML

constexpr Load gemm{.kind = Load::Kind::compute, .type = Type::bf16};

/// The library as a program sees it: opened at run time, every function by its name.
class Nvml : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { test::use_faulty_cluster(); }

  void SetUp() override {
    library_.reset(::dlopen(EMULATOR_LIBRARY_DIR "/libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL));
    ASSERT_NE(library_, nullptr) << ::dlerror();
    ASSERT_EQ(call<int()>("nvmlInit_v2")(), success);
  }
  void TearDown() override { EXPECT_EQ(call<int()>("nvmlShutdown")(), success); }

  template <class Signature>
  Signature* call(const char* name) {
    void* symbol = ::dlsym(library_.get(), name);
    if (symbol == nullptr) throw std::runtime_error(std::string("no symbol ") + name);
    return reinterpret_cast<Signature*>(symbol);
  }
  void* device(unsigned index) {
    void* handle = nullptr;
    EXPECT_EQ(call<int(unsigned, void**)>("nvmlDeviceGetHandleByIndex_v2")(index, &handle), success);
    return handle;
  }
  unsigned number(const char* name, unsigned index) {
    unsigned value = ~0U;
    EXPECT_EQ(call<int(void*, unsigned*)>(name)(device(index), &value), success) << name;
    return value;
  }
  unsigned clock(const char* name, unsigned index, unsigned kind) {
    unsigned value = ~0U;
    EXPECT_EQ(call<int(void*, unsigned, unsigned*)>(name)(device(index), kind, &value), success) << name;
    return value;
  }
  std::string text(const char* name, unsigned index) {
    std::array<char, 96> value{};
    EXPECT_EQ(call<int(void*, char*, unsigned)>(name)(device(index), value.data(), value.size()), success);
    return value.data();
  }
  Wide reasons(unsigned index) {
    Wide bits = 0;
    EXPECT_EQ(call<int(void*, Wide*)>("nvmlDeviceGetCurrentClocksEventReasons")(device(index), &bits), success);
    return bits;
  }
  static const Gpu& card(std::size_t index) { return Cluster::current().nodes()[0].gpus.at(index); }

 private:
  struct Close {
    void operator()(void* library) const { ::dlclose(library); }
  };
  std::unique_ptr<void, Close> library_;
};

TEST_F(Nvml, SaysThatItIsEmulated) {
  std::array<char, 80> version{};
  EXPECT_EQ(call<int(char*, unsigned)>("nvmlSystemGetDriverVersion")(version.data(), version.size()), success);
  EXPECT_STREQ(version.data(), "emulated 580.00");
  EXPECT_EQ(*call<const int>("assay_emulated"), 1);
  EXPECT_TRUE(text("nvmlDeviceGetUUID", 0).starts_with("GPU-emu"));
  EXPECT_EQ(text("nvmlDeviceGetName", 0), "NVIDIA H100 80GB HBM3");
}

TEST_F(Nvml, CountsTheCardsThatAreThere) {
  unsigned count = 0;
  EXPECT_EQ(call<int(unsigned*)>("nvmlDeviceGetCount_v2")(&count), success);
  EXPECT_EQ(count, 9U);
  void* handle = nullptr;
  EXPECT_EQ(call<int(unsigned, void**)>("nvmlDeviceGetHandleByIndex_v2")(9, &handle), invalid_argument);
  unsigned value = 0;
  EXPECT_EQ(call<int(void*, unsigned*)>("nvmlDeviceGetPowerUsage")(&value, &value), invalid_argument);
  EXPECT_EQ(call<int(void*, unsigned*)>("nvmlDeviceGetPowerUsage")(device(0), nullptr), invalid_argument);
}

TEST_F(Nvml, FindsACardByBusAndUuid) {
  void* handle = nullptr;
  const auto by_bus = call<int(const char*, void**)>("nvmlDeviceGetHandleByPciBusId_v2");
  EXPECT_EQ(by_bus(card(3).pci_bus_id.c_str(), &handle), success);
  EXPECT_EQ(handle, device(3));
  EXPECT_EQ(by_bus(card(4).pci_bus_id.substr(4).c_str(), &handle), success);
  EXPECT_EQ(handle, device(4));
  EXPECT_EQ(by_bus("0000:FE:00.0", &handle), not_found);
  EXPECT_EQ(call<int(const char*, void**)>("nvmlDeviceGetHandleByUUID")(card(5).uuid.c_str(), &handle), success);
  EXPECT_EQ(handle, device(5));
}

TEST_F(Nvml, BeforeInitNothingAnswers) {
  void* handle = device(0);
  EXPECT_EQ(call<int()>("nvmlShutdown")(), success);
  unsigned value = 0;
  EXPECT_EQ(call<int(void*, unsigned*)>("nvmlDeviceGetPowerUsage")(handle, &value), uninitialised);
  EXPECT_EQ(call<int()>("nvmlInit_v2")(), success);
}

TEST_F(Nvml, StructuresAreFilledToTheirSizeAndNoFurther) {
  struct Guarded {
    PciInfo info;
    std::array<unsigned char, 16> guard;
  } guarded{};
  guarded.guard.fill(0xa5);
  EXPECT_EQ(call<int(void*, PciInfo*)>("nvmlDeviceGetPciInfo_v3")(device(1), &guarded.info), success);
  for (const auto byte : guarded.guard) EXPECT_EQ(byte, 0xa5);
  EXPECT_EQ(std::string(guarded.info.bus_id), card(1).pci_bus_id);
  EXPECT_EQ(guarded.info.pci_device_id & 0xffffU, 0x10deU);
}

TEST_F(Nvml, IdleThenLoaded) {
  EXPECT_EQ(clock("nvmlDeviceGetClockInfo", 0, 1), 345U);
  EXPECT_EQ(clock("nvmlDeviceGetMaxClockInfo", 0, 1), 1980U);
  EXPECT_EQ(number("nvmlDeviceGetCurrPcieLinkGeneration", 0), 1U);
  EXPECT_EQ(number("nvmlDeviceGetMaxPcieLinkGeneration", 0), 5U);
  EXPECT_EQ(reasons(0), reason::idle);
  // Work that this process accounts for shows in the library, which has a copy of the model of its own.
  account(card(0), gemm, 0.1);
  EXPECT_GT(clock("nvmlDeviceGetClockInfo", 0, 1), 1500U);
  EXPECT_EQ(number("nvmlDeviceGetCurrPcieLinkGeneration", 0), 5U);
  EXPECT_EQ(reasons(0), reason::power_cap);
  EXPECT_NEAR(number("nvmlDeviceGetPowerUsage", 0), 700000, 1000);
}

TEST_F(Nvml, FaultsOfClocksAndPower) {
  for (const std::size_t index : {1U, 2U, 3U}) account(card(index), gemm, 11);
  EXPECT_EQ(number("nvmlDeviceGetEnforcedPowerLimit", 1), 350000U);
  EXPECT_EQ(number("nvmlDeviceGetPowerManagementDefaultLimit", 1), 700000U);
  EXPECT_EQ(number("nvmlDeviceGetEnforcedPowerLimit", 0), 700000U);
  EXPECT_EQ(clock("nvmlDeviceGetClockInfo", 2, 1), 420U);
  EXPECT_EQ(number("nvmlDeviceGetPowerUsage", 2), 40000U);
  EXPECT_EQ(reasons(3), reason::software_thermal | reason::hardware_thermal);
  EXPECT_EQ(clock("nvmlDeviceGetClockInfo", 3, 1), 1095U);
  EXPECT_GT(clock("nvmlDeviceGetTemperature", 3, 0), 85U);
}

TEST_F(Nvml, NvlinksOfACard) {
  const auto state = call<int(void*, unsigned, unsigned*)>("nvmlDeviceGetNvLinkState");
  std::set<unsigned> dead;
  unsigned active = 0;
  for (unsigned link = 0; link < 18; ++link) {
    EXPECT_EQ(state(device(4), link, &active), success);
    if (active == 0) dead.insert(link);
  }
  EXPECT_EQ(dead, (std::set<unsigned>{3, 7}));
  EXPECT_EQ(state(device(4), 18, &active), invalid_argument);
  PciInfo remote{};
  const auto other_end = call<int(void*, unsigned, PciInfo*)>("nvmlDeviceGetNvLinkRemotePciInfo_v2");
  EXPECT_EQ(other_end(device(4), 0, &remote), success);
  EXPECT_EQ(other_end(device(4), 3, &remote), not_supported);
}

TEST_F(Nvml, PcieEccAndMemoryOfFaultyCards) {
  EXPECT_EQ(number("nvmlDeviceGetCurrPcieLinkWidth", 5), 8U);
  EXPECT_EQ(number("nvmlDeviceGetMaxPcieLinkWidth", 5), 16U);
  Wide errors = 0;
  EXPECT_EQ(call<int(void*, unsigned, unsigned, Wide*)>("nvmlDeviceGetTotalEccErrors")(device(5), 0, 0, &errors),
            success);
  EXPECT_EQ(errors, 12U);
  Memory memory{};
  EXPECT_EQ(call<int(void*, Memory*)>("nvmlDeviceGetMemoryInfo")(device(7), &memory), success);
  EXPECT_EQ(memory.total, Wide{81559} << 20);
  EXPECT_GT(memory.used, memory.total / 10 * 9);
  unsigned count = 1;
  Process process{};
  EXPECT_EQ(call<int(void*, unsigned*, void*)>("nvmlDeviceGetComputeRunningProcesses_v3")(device(7), &count, &process),
            success);
  EXPECT_EQ(count, 1U);
  EXPECT_EQ(process.used_memory, card(7).foreign_bytes);
  count = 8;
  EXPECT_EQ(call<int(void*, unsigned*, void*)>("nvmlDeviceGetComputeRunningProcesses_v3")(device(0), &count, &process),
            success);
  EXPECT_EQ(count, 0U);
}

TEST_F(Nvml, VersionedStructuresNeedTheirVersion) {
  const auto memory_v2 = call<int(void*, MemoryV2*)>("nvmlDeviceGetMemoryInfo_v2");
  MemoryV2 memory{};
  EXPECT_EQ(memory_v2(device(0), &memory), version_mismatch);
  memory.version = 0x2000028;
  EXPECT_EQ(memory_v2(device(0), &memory), success);
  EXPECT_EQ(memory.total, memory.reserved + memory.free + memory.used);
  FabricInfoV fabric{};
  const auto fabric_v = call<int(void*, FabricInfoV*)>("nvmlDeviceGetGpuFabricInfoV");
  fabric.version = versioned(36, 2);
  fabric.health_summary = 0x5a;
  EXPECT_EQ(fabric_v(device(0), &fabric), success);
  EXPECT_EQ(fabric.state, 3);
  EXPECT_EQ(fabric.health_summary, 0x5a);
  fabric.version = versioned(40, 3);
  EXPECT_EQ(fabric_v(device(0), &fabric), success);
  EXPECT_EQ(fabric.health_summary, 1);
}

TEST_F(Nvml, ASliceShowsItsModeAndTheWholeBoard) {
  unsigned now = 0;
  unsigned pending = 0;
  EXPECT_EQ(call<int(void*, unsigned*, unsigned*)>("nvmlDeviceGetMigMode")(device(8), &now, &pending), success);
  EXPECT_EQ(now, 1U);
  Memory memory{};
  EXPECT_EQ(call<int(void*, Memory*)>("nvmlDeviceGetMemoryInfo")(device(8), &memory), success);
  EXPECT_NEAR(static_cast<double>(memory.total), static_cast<double>(Wide{81559} << 20), 16);
}

TEST_F(Nvml, ALostCardAnswersNothingMore) {
  unsigned value = 0;
  const auto power = call<int(void*, unsigned*)>("nvmlDeviceGetPowerUsage");
  EXPECT_EQ(power(device(6), &value), success);
  EXPECT_EQ(count_operation(card(6)), 0U);
  EXPECT_EQ(power(device(6), &value), success);
  EXPECT_EQ(count_operation(card(6)), 1U);
  EXPECT_EQ(power(device(6), &value), gpu_is_lost);
  EXPECT_STREQ(call<const char*(int)>("nvmlErrorString")(gpu_is_lost), "GPU is lost");
  EXPECT_EQ(power(device(0), &value), success);
}

TEST_F(Nvml, FieldValues) {
  std::array<FieldValue, 3> fields{};
  fields[0].field = 91;
  fields[1].field = 38;
  fields[2].field = 60000;
  EXPECT_EQ(call<int(void*, int, FieldValue*)>("nvmlDeviceGetFieldValues")(device(0), 3, fields.data()), success);
  EXPECT_EQ(fields[0].result, success);
  EXPECT_EQ(fields[0].value.number, 18U);
  EXPECT_EQ(fields[1].result, success);
  EXPECT_EQ(fields[1].value.wide, 0U);
  EXPECT_EQ(fields[2].result, not_supported);
}

}  // namespace
}  // namespace emulator
