#include <chrono>
#include <csignal>
#include <cstdlib>
#include <numeric>
#include <thread>

#include "tests/emulator/cuda/tests/sample.hpp"
#include "tests/emulator/cuda/tests/support.hpp"

namespace emulated {
namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;

std::vector<int> counting(std::size_t count) {
  std::vector<int> values(count);
  std::iota(values.begin(), values.end(), 7);
  return values;
}

TEST(Memory, CopiesArriveWhole) {
  run(two_gpus, [] {
    const auto values = counting(100'000);
    int* first = to_device(values);
    int* second = device_array<int>(values.size());
    expect_ok(cudaMemcpy(second, first, values.size() * sizeof(int), cudaMemcpyDeviceToDevice));
    EXPECT_EQ(to_host(second, values.size()), values);
    expect_ok(cudaSetDevice(1));
    int* third = device_array<int>(values.size());
    expect_ok(cudaMemcpyPeer(third, 1, second, 0, values.size() * sizeof(int)));
    EXPECT_EQ(to_host(third, values.size()), values);
    expect_ok(cudaMemset(third, 0, sizeof(int)));
    EXPECT_EQ(to_host(third, 2), (std::vector<int>{0, 8}));
  });
}

TEST(Memory, PartsOfLargeRangesAreMovedAndTheWholeIsTimed) {
  run(one_gpu, [] {
    const std::size_t bytes = std::size_t{8} << 30;
    const cudaStream_t stream = new_stream();
    auto* memory = device_array<unsigned char>(bytes);
    auto* copy = device_array<unsigned char>(bytes);
    expect_ok(cudaMemsetAsync(memory, 0x5a, bytes, stream));
    const double seconds =
        seconds_of(stream, [&] { expect_ok(cudaMemcpyAsync(copy, memory, bytes, cudaMemcpyDeviceToDevice, stream)); });
    EXPECT_NEAR(2 * static_cast<double>(bytes) / seconds, 3e12, 0.5e12);
    EXPECT_EQ(to_host(copy, 1)[0], 0x5a);
    EXPECT_EQ(to_host(copy + bytes - 1, 1)[0], 0x5a);
  });
}

TEST(Memory, PinnedCopiesRunAtTheRateOfTheSlot) {
  run(one_gpu, [] {
    const std::size_t bytes = 256 * mebibyte;
    const cudaStream_t up = new_stream(), down = new_stream();
    auto* device = device_array<std::byte>(2 * bytes);
    auto* host = pinned_array<std::byte>(2 * bytes);
    const auto rate = [&](double seconds) { return static_cast<double>(bytes) / seconds; };
    const double alone =
        rate(seconds_of(up, [&] { cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, up); }));
    EXPECT_NEAR(alone, 55e9, 5e9);
    // Both directions at once do not disturb each other, two in one direction share.
    const auto beside = [&](cudaMemcpyKind kind, void* to, const void* from) {
      return rate(seconds_of(up, [&] {
        cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, up);
        cudaMemcpyAsync(to, from, bytes, kind, down);
      }));
    };
    EXPECT_GT(beside(cudaMemcpyDeviceToHost, host + bytes, device + bytes), 0.8 * alone);
    EXPECT_NEAR(beside(cudaMemcpyHostToDevice, device + bytes, host + bytes), alone / 2, alone / 20);
    expect_ok(cudaDeviceSynchronize());
  });
}

TEST(Memory, HostDereferenceFaults) {
  const int status = status_of(one_gpu, "", [] {
    std::signal(SIGSEGV, SIG_DFL);  // a sanitizer has one of its own
    auto* memory = device_array<volatile int>(16);
    *memory = 1;
  });
  EXPECT_EQ(status, -SIGSEGV);
}

TEST(Memory, AsynchronousCopiesReachTheHostWhenItSynchronises) {
  run(one_gpu, [] {
    const cudaStream_t stream = new_stream();
    int* device = to_device(counting(4));
    auto* host = pinned_array<int>(4);
    expect_ok(cudaMemcpyAsync(host, device, 4 * sizeof(int), cudaMemcpyDeviceToHost, stream));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_EQ(host[0], 0) << "nobody has synchronised";
    expect_ok(cudaStreamSynchronize(stream));
    EXPECT_EQ(host[0], 7);
  });
}

TEST(Memory, AnotherStreamsSynchroniseDoesNotHelp) {
  run(one_gpu, [] {
    const cudaStream_t stream = new_stream(), other = new_stream();
    int* device = to_device(counting(4));
    auto* host = pinned_array<int>(4);
    expect_ok(cudaMemcpyAsync(host, device, 4 * sizeof(int), cudaMemcpyDeviceToHost, stream));
    expect_ok(cudaStreamSynchronize(other));
    EXPECT_EQ(host[1], 0);
    const cudaEvent_t done = new_event();
    expect_ok(cudaEventRecord(done, stream));
    expect_ok(cudaStreamWaitEvent(other, done, 0));
    expect_ok(cudaStreamSynchronize(other));
    EXPECT_EQ(host[1], 8) << "ordered by the event";
  });
}

TEST(Memory, StrictModeSpoilsWhatIsNotSynchronised) {
  run(one_gpu, [] {
    setenv("ASSAY_EMULATOR_STRICT", "1", 1);
    const cudaStream_t stream = new_stream();
    int* device = to_device(counting(4));
    auto* host = pinned_array<int>(4);
    for (int round = 0; round < 2; ++round) {
      expect_ok(cudaMemcpyAsync(host, device, 4 * sizeof(int), cudaMemcpyDeviceToHost, stream));
      EXPECT_NE(host[0], 7) << "also when the right bytes are still there from before";
      expect_ok(cudaStreamSynchronize(stream));
      EXPECT_EQ(host[0], 7);
    }
  });
}

TEST(Memory, PointersAreKnown) {
  run(two_gpus, [] {
    cudaPointerAttributes attributes{};
    expect_ok(cudaSetDevice(1));
    int* device = device_array<int>(4);
    expect_ok(cudaPointerGetAttributes(&attributes, device + 1));
    EXPECT_EQ(attributes.type, cudaMemoryTypeDevice);
    EXPECT_EQ(attributes.device, 1);
    EXPECT_EQ(attributes.hostPointer, nullptr);
    expect_ok(cudaPointerGetAttributes(&attributes, pinned_array<int>(4)));
    EXPECT_EQ(attributes.type, cudaMemoryTypeHost);
    int pageable = 0;
    expect_ok(cudaPointerGetAttributes(&attributes, &pageable));
    EXPECT_EQ(attributes.type, cudaMemoryTypeUnregistered);
    void* mapped = nullptr;
    EXPECT_EQ(cudaHostGetDevicePointer(&mapped, &pageable, 0), cudaErrorInvalidValue);
    expect_ok(cudaHostRegister(&pageable, sizeof pageable, cudaHostRegisterDefault));
    expect_ok(cudaHostGetDevicePointer(&mapped, &pageable, 0));
    EXPECT_EQ(mapped, &pageable);
    expect_ok(cudaHostUnregister(&pageable));
  });
}

TEST(Memory, WrongCallsAreRefused) {
  run(one_gpu, [] {
    int* device = device_array<int>(4);
    int host[8] = {};
    EXPECT_EQ(cudaMemcpy(device, host, 5 * sizeof(int), cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    EXPECT_EQ(cudaMemcpy(host, device, sizeof(int), cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    EXPECT_EQ(cudaFree(device + 1), cudaErrorInvalidValue);
    expect_ok(cudaFree(device));
    EXPECT_EQ(cudaFree(device), cudaErrorInvalidValue);
    EXPECT_EQ(cudaFreeHost(host), cudaErrorInvalidValue);
  });
}

TEST(Memory, OrderedAllocation) {
  run(one_gpu, [] {
    const cudaStream_t stream = new_stream();
    void* memory = nullptr;
    expect_ok(cudaMallocAsync(&memory, mebibyte, stream));
    expect_ok(cudaMemsetAsync(memory, 1, mebibyte, stream));
    expect_ok(cudaFreeAsync(memory, stream));
    expect_ok(cudaStreamSynchronize(stream));
    EXPECT_EQ(cudaMemset(memory, 1, mebibyte), cudaErrorInvalidValue);
  });
}

}  // namespace
}  // namespace emulated
