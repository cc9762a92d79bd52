// The wrappers and kernels on a device: the emulated one that ctest gives them, or a real one.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <thread>
#include <vector>

#include "core/error.hpp"
#include "kernels/cuda/blas/gemm.hpp"
#include "kernels/cuda/check.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/cuda/device/numbers.cuh"
#include "kernels/cuda/gate.hpp"
#include "kernels/cuda/graph.hpp"
#include "kernels/cuda/kernels.hpp"
#include "kernels/cuda/timer.hpp"
#include "kernels/cuda/wait.hpp"

namespace assay::cuda {
namespace {

using ::testing::HasSubstr;

class DeviceTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { device() = std::make_unique<CudaDevice>(visible_devices().front()); }
  static void TearDownTestSuite() { device().reset(); }
  static std::unique_ptr<CudaDevice>& device() {
    static std::unique_ptr<CudaDevice> opened;
    return opened;
  }
  static const Stream& stream() { return device()->stream(); }
  static Deadline soon(double seconds = 30) {
    static const MonotonicClock clock;
    return {clock, Seconds(seconds)};
  }
  static Tally counted(const std::function<void(const TallyCounter&)>& checks) {
    TallyCounter tally;
    tally.clear(stream());
    checks(tally);
    return tally.read(stream());
  }
  template <class T>
  static std::vector<T> values(const Memory& memory, std::size_t count) {
    std::vector<T> result(count);
    device()->download(std::as_writable_bytes(std::span<T>(result)), memory.data());
    return result;
  }
};

TEST_F(DeviceTest, IdentityIsComplete) {
  const DeviceIdentity& identity = device()->identity();
  EXPECT_THAT(identity.pci_bus_id, ::testing::MatchesRegex("[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\\.0"));
  EXPECT_THAT(identity.uuid, ::testing::StartsWith("GPU-"));
  EXPECT_EQ(identity.uuid.size(), 40U);
  EXPECT_GE(identity.capability, 70);
  EXPECT_GT(identity.memory_free_bytes, 0);
  EXPECT_LE(identity.memory_free_bytes, identity.memory_bytes);
}

TEST_F(DeviceTest, ErrorsNameTheCallTheReasonTheGpuAndThePlace) {
  try {
    check(cudaErrorInvalidValue, "cudaSomething");
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::environment);
    EXPECT_THAT(error.what(), HasSubstr("cudaSomething: invalid argument (1), GPU " + device()->identity().pci_bus_id));
    EXPECT_THAT(error.hint(), HasSubstr("device_test.cpp:"));
  }
}

TEST_F(DeviceTest, TooLargeAnAllocationSaysWhatIsFreeAndIsForgotten) {
  try {
    const Memory memory(std::size_t{1} << 50);
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("out of memory (2)"));
    EXPECT_THAT(error.what(), HasSubstr("free of"));
  }
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(DeviceTest, CopiesThereAndBack) {
  std::vector<std::uint32_t> sent(1000);
  for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<std::uint32_t>(3 * i);
  const auto memory = device()->allocate(sizeof(std::uint32_t) * sent.size());
  device()->upload(memory->data(), std::as_bytes(std::span(sent)));
  std::vector<std::uint32_t> received(sent.size());
  device()->download(std::as_writable_bytes(std::span(received)), memory->data());
  EXPECT_EQ(received, sent);
}

TEST_F(DeviceTest, WordsAreNoticedWhenOneBitIsWrong) {
  for (const std::size_t bytes : {std::size_t{8}, std::size_t{13}, std::size_t{65536}, std::size_t{1} << 24}) {
    const Memory memory(bytes);
    fill_words(stream(), memory.data(), bytes, 5);
    const auto check_all = [&](const TallyCounter& tally) { check_words(stream(), memory.data(), bytes, 5, tally); };
    const Tally healthy = counted(check_all);
    EXPECT_GT(healthy.checked, 0U);
    EXPECT_EQ(healthy.wrong, 0U);
    flip_bit(stream(), memory.data(), bytes - 1);
    EXPECT_EQ(counted(check_all).wrong, 1U) << bytes;
  }
}

TEST_F(DeviceTest, BytesAndWordsAreTheSamePattern) {
  const Memory memory(64);
  fill_words(stream(), memory.data(), 64, 5);
  EXPECT_EQ(counted([&](const TallyCounter& tally) { check_words(stream(), memory.data(), 61, 5, tally); }).wrong, 0U);
}

// Adds up what `ranks` ranks give in the order of the ranks; every partial sum has to be one that e4m3 has.
std::vector<double> summed(const std::vector<std::vector<double>>& given) {
  std::vector<double> sums(given.front().size());
  for (const auto& one : given)
    for (std::size_t i = 0; i < sums.size(); ++i) {
      sums[i] += one[i];
      EXPECT_LE(std::abs(sums[i]), 16);
    }
  return sums;
}

TEST_F(DeviceTest, ContributionsAddUpExactlyInEveryType) {
  constexpr std::size_t count = 500;
  for (const Dtype type : {Dtype::f64, Dtype::f32, Dtype::bf16, Dtype::f16, Dtype::f8, Dtype::i8}) {
    for (const int ranks : {1, 2, 7, 8, 9, 33}) {
      const Memory block(8 * count);
      std::vector<std::vector<double>> given;
      for (int rank = 0; rank < ranks; ++rank) {
        const Contribution from{77, 1000, rank, ranks};
        fill_contribution(stream(), type, block.data(), count, from);
        const auto own = counted(
            [&](const TallyCounter& tally) { check_contribution(stream(), type, block.data(), count, from, tally); });
        EXPECT_EQ(own.checked, count);
        EXPECT_EQ(own.wrong, 0U);
        const auto bits = values<std::byte>(block, 8 * count);
        given.emplace_back(count);
        for (std::size_t i = 0; i < count; ++i) given.back()[i] = load_number(type, bits.data(), i);
      }
      std::vector<std::byte> result(8 * count);
      const std::vector<double> sums = summed(given);
      for (std::size_t i = 0; i < count; ++i) store_number(type, result.data(), i, sums[i]);
      device()->upload(block.data(), result);
      const auto check_it = [&](const TallyCounter& tally) {
        check_sum(stream(), type, block.data(), count, {77, 1000, 0, ranks}, tally);
      };
      EXPECT_EQ(counted(check_it).wrong, 0U) << to_string(type) << ", " << ranks << " ranks";
      flip_bit(stream(), block.data(), size_of(type) * 17 + size_of(type) - 1);
      EXPECT_EQ(counted(check_it).wrong, 1U) << to_string(type) << ", " << ranks << " ranks";
    }
  }
}

TEST_F(DeviceTest, ASumThatLacksOneRankIsNoticed) {
  constexpr std::size_t count = 64;
  const Memory block(4 * count);
  fill_contribution(stream(), Dtype::f32, block.data(), count, {3, 0, 0, 2});
  EXPECT_GT(counted([&](const TallyCounter& tally) {
              check_sum(stream(), Dtype::f32, block.data(), count, {3, 0, 0, 2}, tally);
            }).wrong,
            0U);
}

TEST_F(DeviceTest, ProductsAreRightAndOneWrongElementIsNoticed) {
  constexpr std::uint64_t n = 256;  // small enough to be computed as a whole anywhere
  for (const Dtype type : {Dtype::f64, Dtype::f32, Dtype::tf32, Dtype::bf16, Dtype::f16, Dtype::f8, Dtype::i8}) {
    if (device()->identity().capability < least_capability(type)) continue;
    Gemm gemm(stream(), {type, n}, 11);
    EXPECT_THAT(gemm.words(), HasSubstr("tried"));
    gemm.poison(stream());
    const Check poisoned = gemm.check(stream(), 1);
    EXPECT_EQ(poisoned.wrong, n) << to_string(type);
    gemm.multiply(stream());
    const Check right = gemm.check(stream(), 1);
    EXPECT_EQ(right.checked, n * n);
    EXPECT_EQ(right.wrong, 0U) << to_string(type) << ": " << right.first;
    // The high byte of one element.
    flip_bit(stream(), gemm.result().data(), size_of(gemm.shape().result_type()) * (n * 40 + 9) - 1);
    gemm.damage(stream());
    EXPECT_GT(gemm.check(stream(), 1).wrong, 0U) << to_string(type);
  }
}

TEST_F(DeviceTest, ComparisonFindsTheOneElementThatDiffers) {
  constexpr std::uint64_t n = 300;
  const MatrixShape shape{n, n, 1, n};
  const Memory left(2 * n * n);
  const Memory right(2 * n * n);
  for (const Memory* one : {&left, &right}) fill_matrix(stream(), Dtype::bf16, one->data(), shape, 4, 0);
  flip_bit(stream(), left.data(), 2 * (5 * n + 17));
  const Tally tally = counted([&](const TallyCounter& counter) {
    compare_matrix(stream(), {Dtype::bf16, left.data(), shape}, right.data(), 0, counter);
  });
  EXPECT_EQ(tally.checked, n * n);
  EXPECT_EQ(tally.wrong, 1U);
  EXPECT_EQ(tally.at, 5 * n + 17);
}

TEST_F(DeviceTest, TheGateHoldsUntilItIsOpened) {
  const Memory mark(8);
  const Stream other;
  Gate gate;
  Event before(Event::Kind::order);
  Event after(Event::Kind::order);
  gate.hold(stream());
  before.record(stream());
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  EXPECT_EQ(cudaEventQuery(before.get()), cudaErrorNotReady);
  after.record(other);
  wait(other, soon(), "another stream");
  gate.open();
  wait(stream(), soon(), "the gate");
  EXPECT_EQ(cudaEventQuery(before.get()), cudaSuccess);
  EXPECT_FALSE(gate.gave_up());
}

TEST_F(DeviceTest, TheGateGivesUpByItself) {
  Gate gate(Seconds(0.02));
  gate.hold(stream());
  wait(stream(), soon(), "the gate");
  EXPECT_TRUE(gate.gave_up());
}

TEST_F(DeviceTest, WaitingEndsAtTheDeadlineAndNamesTheWork) {
  Gate gate(Seconds(5));
  gate.hold(stream());
  try {
    wait(stream(), soon(0.01), "a product");
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::incomplete);
    EXPECT_THAT(error.what(), HasSubstr("a product is not done at its deadline, GPU"));
  }
  gate.open();
  wait(stream(), soon(), "the gate");
}

TEST_F(DeviceTest, LooksBetweenMayThrow) {
  Gate gate(Seconds(5));
  gate.hold(stream());
  EXPECT_THROW(wait(stream(), soon(), "work", [] { throw environment_error("asynchronous"); }), Error);
  gate.open();
  wait(stream(), soon(), "the gate");
}

TEST_F(DeviceTest, GraphsRepeatTheirWork) {
  const Memory memory(1024);
  const Graph graph = Graph::capture(stream(), [&] { fill_words(stream(), memory.data(), 1024, 8); });
  check(cudaMemsetAsync(memory.data(), 0, 1024, stream().get()), "cudaMemsetAsync");
  graph.launch(stream());
  EXPECT_EQ(counted([&](const TallyCounter& tally) { check_words(stream(), memory.data(), 1024, 8, tally); }).wrong,
            0U);
  EXPECT_THROW((void)Graph::capture(stream(), [] { throw environment_error("inside"); }), Error);
  graph.launch(stream());  // the stream records no more
  stream().synchronise();
}

TEST_F(DeviceTest, TheTimerGivesSecondsInOrderAndRefusesALongerBatch) {
  EventTimer timer(2);
  const Memory memory(std::size_t{64} << 20);
  for (int i = 0; i < 2; ++i) {
    timer.start(stream());
    for (int pass = 0; pass <= 4 * i; ++pass) fill_words(stream(), memory.data(), memory.size(), 1);
    timer.stop(stream());
  }
  EXPECT_THROW(timer.start(stream()), Error);
  stream().synchronise();
  std::vector<double> seconds(3);
  timer.seconds(seconds);
  EXPECT_GT(seconds[0], 0);
  EXPECT_GT(seconds[1], 2 * seconds[0]);
  EXPECT_TRUE(std::isnan(seconds[2]));
}

}  // namespace
}  // namespace assay::cuda
