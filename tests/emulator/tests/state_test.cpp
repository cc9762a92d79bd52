#include "tests/emulator/model/state.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "tests/emulator/tests/support.hpp"

namespace emulator {
namespace {

using test::one_node;

constexpr Load gemm{.kind = Load::Kind::compute, .type = Type::bf16};
constexpr Load stream{.kind = Load::Kind::memory};

double bf16_rate(const Cluster& cluster, double busy = 0) {
  const auto& gpu = cluster.nodes()[0].gpus[0];
  return 1 / compute_seconds(gpu, state_under(gpu, gemm, busy), Type::bf16, 1);
}

GpuState loaded(const Cluster& cluster, Load load = gemm, double busy = 0) {
  return state_under(cluster.nodes()[0].gpus[0], load, busy);
}

TEST(State, HealthyCardsReachThePublishedRates) {
  EXPECT_NEAR(bf16_rate(one_node("a100-sxm4-80gb", 1)), 264.5e12, 1e11);
  EXPECT_NEAR(bf16_rate(one_node("h100-sxm5-80gb", 1)) / 989.4e12, 0.80, 0.01);
  EXPECT_NEAR(bf16_rate(one_node("l40s", 1)) / 362.05e12, 0.81, 0.01);
  const auto cluster = one_node("h100-sxm5-80gb", 1);
  const auto& gpu = cluster.nodes()[0].gpus[0];
  EXPECT_NEAR(1 / memory_seconds(gpu, loaded(cluster, stream), 1), 0.9 * 3350e9, 1e6);
  EXPECT_TRUE(std::isinf(compute_seconds(one_node("a100-sxm4-80gb", 1).nodes()[0].gpus[0], {}, Type::fp8, 1)));
}

TEST(State, IdleCardsRest) {
  for (const char* id : {"h100-sxm5-80gb", "a100-sxm4-80gb", "l40s"}) {
    const auto state = loaded(one_node(id, 1), {});
    EXPECT_GE(state.sm_mhz, 210);
    EXPECT_LE(state.sm_mhz, 345);
    EXPECT_EQ(state.pcie_gen, 1);
    EXPECT_EQ(state.performance_state, 8);
    EXPECT_EQ(state.clock_event_reasons, reason::idle);
    EXPECT_LT(state.power_watts, 0.15 * state.power_limit_watts);
  }
}

TEST(State, AHealthyH100RunsIntoItsPowerLimit) {
  const auto state = loaded(one_node("h100-sxm5-80gb", 1));
  EXPECT_EQ(state.clock_event_reasons, reason::power_cap);
  EXPECT_DOUBLE_EQ(state.power_limit_watts, 700);
  EXPECT_NEAR(state.power_watts, 700, 1);
  EXPECT_LT(state.sm_mhz, 1900);
  EXPECT_GT(state.sm_mhz, 1500);
  EXPECT_EQ(state.pcie_gen, 5);
  EXPECT_EQ(state.performance_state, 0);
}

TEST(State, AHealthyA100HoldsItsClock) {
  const auto state = loaded(one_node("a100-sxm4-80gb", 1));
  EXPECT_EQ(state.clock_event_reasons, 0U);
  EXPECT_DOUBLE_EQ(state.sm_mhz, 1410);
  EXPECT_LT(state.power_watts, 400);
}

TEST(State, PowerCap) {
  const auto healthy = one_node("h100-sxm5-80gb", 1);
  const auto capped = one_node("h100-sxm5-80gb", 1, "kind = \"power_cap\"\nwatts = 350");
  const auto state = loaded(capped);
  EXPECT_DOUBLE_EQ(state.power_limit_watts, 350);
  EXPECT_NEAR(state.power_watts, 350, 1);
  EXPECT_EQ(state.clock_event_reasons, reason::power_cap);
  EXPECT_LT(bf16_rate(capped) / bf16_rate(healthy), 0.85);
  EXPECT_NEAR(bf16_rate(capped) / bf16_rate(healthy), state.sm_mhz / loaded(healthy).sm_mhz, 1e-9);
  // Memory has a clock of its own.
  const auto& gpu = capped.nodes()[0].gpus[0];
  EXPECT_NEAR(1 / memory_seconds(gpu, {}, 1), 0.9 * 3350e9, 1e6);
}

TEST(State, LockedClocks) {
  const auto healthy = one_node("h100-sxm5-80gb", 1);
  const auto locked = one_node("h100-sxm5-80gb", 1, "kind = \"locked_clocks\"");
  EXPECT_DOUBLE_EQ(loaded(locked).sm_mhz, 420);
  EXPECT_DOUBLE_EQ(loaded(locked).power_watts, 40);
  EXPECT_NEAR(bf16_rate(locked) / bf16_rate(healthy), 420 / loaded(healthy).sm_mhz, 1e-9);
}

TEST(State, ThermalThrottlingSetsInAfterBusySeconds) {
  const auto cluster = one_node("h100-sxm5-80gb", 1, "kind = \"thermal\"\nafter_seconds = 10\nsm_mhz = 1095");
  EXPECT_EQ(loaded(cluster, gemm, 9.9).clock_event_reasons, reason::power_cap);
  const auto hot = loaded(cluster, gemm, 10);
  EXPECT_EQ(hot.clock_event_reasons, reason::software_thermal | reason::hardware_thermal);
  EXPECT_DOUBLE_EQ(hot.sm_mhz, 1095);
  EXPECT_GT(hot.temperature_c, 85);
  EXPECT_LT(bf16_rate(cluster, 10), 0.75 * bf16_rate(cluster, 0));
}

TEST(State, ASliceHasItsShareOfTheRates) {
  const auto healthy = one_node("h100-sxm5-80gb", 1);
  const auto slice = one_node("h100-sxm5-80gb", 1, "kind = \"mig_slice\"\nfraction = 0.5");
  EXPECT_NEAR(bf16_rate(slice) / bf16_rate(healthy), 0.5, 1e-9);
}

TEST(State, EccErrorsAreCounted) {
  const auto corrected = loaded(one_node("h100-sxm5-80gb", 1, "kind = \"ecc\"\ncount = 12"));
  EXPECT_EQ(corrected.ecc_corrected, 12U);
  EXPECT_EQ(corrected.ecc_uncorrected, 0U);
  EXPECT_EQ(loaded(one_node("h100-sxm5-80gb", 1, "kind = \"ecc\"\nuncorrected = true")).ecc_uncorrected, 1U);
}

TEST(State, LatencyRisesAtTheEdgesOfTheCaches) {
  const auto cluster = one_node("h100-sxm5-80gb", 1);
  const auto& gpu = cluster.nodes()[0].gpus[0];
  const double l1 = chase_seconds(gpu, {}, 32 << 10);
  const double l2 = chase_seconds(gpu, {}, 16 << 20);
  const double memory = chase_seconds(gpu, {}, 4e9);
  EXPECT_LT(5 * l1, l2);
  EXPECT_LT(1.8 * l2, memory);
}

class LiveState : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { test::use_faulty_cluster(); }
  static const Gpu& gpu(std::size_t index) { return Cluster::current().nodes()[1].gpus[index]; }
};

TEST_F(LiveState, IdleUntilWorkComesThenLoadedThenIdleAgain) {
  EXPECT_EQ(live_state(gpu(0)).load.kind, Load::Kind::idle);
  account(gpu(0), gemm, 0.01);
  EXPECT_EQ(live_state(gpu(0)).load.kind, Load::Kind::compute);
  EXPECT_EQ(live_state(gpu(0)).load.type, Type::bf16);
  EXPECT_EQ(live_state(gpu(1)).load.kind, Load::Kind::idle);
  EXPECT_NEAR(live_state(gpu(0)).busy_seconds, 0.01, 1e-12);
  std::this_thread::sleep_for(std::chrono::milliseconds(600));
  EXPECT_EQ(live_state(gpu(0)).load.kind, Load::Kind::idle);
}

TEST_F(LiveState, ACheckBetweenGemmsDoesNotHideThem) {
  for (int i = 0; i < 20; ++i) {
    account(gpu(2), gemm, 0.1);
    account(gpu(2), stream, 0.001);
    EXPECT_EQ(live_state(gpu(2)).load.kind, Load::Kind::compute);
  }
  account(gpu(2), stream, 2.0);
  EXPECT_EQ(live_state(gpu(2)).load.kind, Load::Kind::memory);
}

TEST_F(LiveState, MemoryHeldIsTheSumOfAllProcesses) {
  account_memory(gpu(3), 1 << 20);
  account_memory(gpu(3), 1 << 20);
  account_memory(gpu(3), -(1 << 20));
  EXPECT_EQ(memory_held(gpu(3)), std::uint64_t{1} << 20);
}

}  // namespace
}  // namespace emulator
