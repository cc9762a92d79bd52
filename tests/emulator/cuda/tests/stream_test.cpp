#include <atomic>
#include <chrono>
#include <thread>

#include "tests/emulator/cuda/tests/sample.hpp"
#include "tests/emulator/cuda/tests/support.hpp"

namespace emulated {
namespace {

TEST(Stream, GateHoldsUntilTheHostOpensIt) {
  run(one_gpu, [] {
    const cudaStream_t stream = new_stream();
    auto* words = pinned_array<unsigned>(2);
    unsigned* counter = to_device(std::vector<unsigned>{0});
    expect_ok(sample::launch_spin(words, stream));
    expect_ok(sample::launch_count(counter, words + 1, 1, 1, stream));
    for (int look = 0; look < 20; ++look) EXPECT_EQ(cudaStreamQuery(stream), cudaErrorNotReady);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_EQ(words[1], 0U);
    std::atomic_ref<unsigned>(words[0]).store(1);
    expect_ok(cudaStreamSynchronize(stream));
    EXPECT_EQ(words[1], 1U);
  });
}

TEST(Stream, ABlockedStreamHoldsUpNoOther) {
  run(one_gpu, [] {
    const cudaStream_t held = new_stream(), free = new_stream();
    auto* words = pinned_array<unsigned>(1);
    expect_ok(sample::launch_spin(words, held));
    unsigned* counter = to_device(std::vector<unsigned>{0});
    expect_ok(sample::launch_count(counter, nullptr, 2, 3, free));
    expect_ok(cudaStreamSynchronize(free));
    EXPECT_EQ(cudaStreamQuery(held), cudaErrorNotReady);
    EXPECT_EQ(cudaGetLastError(), cudaErrorNotReady);
    std::atomic_ref<unsigned>(words[0]).store(1);
    expect_ok(cudaStreamSynchronize(held));
    EXPECT_EQ(to_host(counter, 1)[0], 6U);
  });
}

TEST(Stream, WorkRunsWithoutAnybodyWaiting) {
  run(one_gpu, [] {
    const cudaStream_t stream = new_stream();
    auto* words = pinned_array<unsigned>(1);
    unsigned* counter = to_device(std::vector<unsigned>{0});
    expect_ok(sample::launch_count(counter, words, 1, 1, stream));
    for (int look = 0; look < 1000 && std::atomic_ref<unsigned>(words[0]).load() == 0; ++look) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_EQ(words[0], 1U);
  });
}

TEST(Stream, EventsOrderStreamsAndMeasureVirtualTime) {
  run(one_gpu, [] {
    const cudaStream_t first = new_stream(), second = new_stream();
    constexpr std::size_t bytes = std::size_t{1} << 30;
    auto* memory = device_array<std::byte>(bytes);
    const cudaEvent_t start = new_event(), middle = new_event(), end = new_event();
    expect_ok(cudaEventRecord(start, first));
    expect_ok(cudaMemsetAsync(memory, 1, bytes, first));
    expect_ok(cudaEventRecord(middle, first));
    expect_ok(cudaStreamWaitEvent(second, middle, 0));
    expect_ok(cudaMemsetAsync(memory, 2, bytes, second));
    expect_ok(cudaEventRecord(end, second));
    float milliseconds = 0;
    EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start, end), cudaErrorNotReady);
    expect_ok(cudaEventSynchronize(end));
    float half = 0;
    expect_ok(cudaEventElapsedTime(&milliseconds, start, end));
    expect_ok(cudaEventElapsedTime(&half, start, middle));
    EXPECT_NEAR(milliseconds, 2 * half, 0.1 * half);
    EXPECT_EQ(cudaEventElapsedTime(&half, start, new_event()), cudaErrorInvalidResourceHandle);
    EXPECT_EQ(to_host(memory, 1)[0], std::byte{2});
  });
}

TEST(Stream, EmptyKernelsTakeMicroseconds) {
  run(one_gpu, [] {
    const cudaStream_t stream = new_stream();
    unsigned* counter = to_device(std::vector<unsigned>{0});
    const double seconds = seconds_of(stream, [&] {
      for (int i = 0; i < 100; ++i) expect_ok(sample::launch_count(counter, nullptr, 1, 1, stream));
    });
    EXPECT_GT(seconds / 100, 1.5e-6);
    EXPECT_LT(seconds / 100, 6e-6);
    EXPECT_EQ(to_host(counter, 1)[0], 100U);
  });
}

TEST(Stream, DefaultStreamWaitsForBlockingOnes) {
  run(one_gpu, [] {
    cudaStream_t blocking = nullptr;
    expect_ok(cudaStreamCreate(&blocking));
    auto* words = pinned_array<unsigned>(1);
    unsigned* counter = to_device(std::vector<unsigned>{0});
    expect_ok(sample::launch_spin(words, blocking));
    expect_ok(sample::launch_count(counter, nullptr, 1, 1));
    EXPECT_EQ(cudaStreamQuery(nullptr), cudaErrorNotReady);
    std::atomic_ref<unsigned>(words[0]).store(1);
    expect_ok(cudaStreamSynchronize(nullptr));
    EXPECT_EQ(cudaStreamQuery(blocking), cudaSuccess);
    EXPECT_EQ(to_host(counter, 1)[0], 1U);
  });
}

TEST(Stream, HostFunctionsSeeWhatCameBefore) {
  run(one_gpu, [] {
    const cudaStream_t stream = new_stream();
    struct Seen {
      int* host;
      int value;
    } seen{pinned_array<int>(1), 0};
    int* device = to_device(std::vector<int>{42});
    expect_ok(cudaMemcpyAsync(seen.host, device, sizeof(int), cudaMemcpyDeviceToHost, stream));
    expect_ok(cudaLaunchHostFunc(
        stream, [](void* data) { static_cast<Seen*>(data)->value = *static_cast<Seen*>(data)->host; }, &seen));
    expect_ok(cudaStreamSynchronize(stream));
    EXPECT_EQ(seen.value, 42);
  });
}

TEST(Stream, DestroyedHandlesAreRefused) {
  run(one_gpu, [] {
    const cudaStream_t stream = new_stream();
    const cudaEvent_t event = new_event();
    expect_ok(cudaStreamDestroy(stream));
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorInvalidResourceHandle);
    expect_ok(cudaEventDestroy(event));
    EXPECT_EQ(cudaEventRecord(event, nullptr), cudaErrorInvalidResourceHandle);
  });
}

TEST(Stream, ZeroTimeDeviceTakesNoTime) {
  run(zero_time, [] {
    const cudaStream_t stream = new_stream();
    constexpr std::size_t bytes = std::size_t{1} << 30;
    auto* memory = device_array<std::byte>(bytes);
    EXPECT_EQ(seconds_of(stream, [&] { cudaMemsetAsync(memory, 1, bytes, stream); }), 0);
    EXPECT_EQ(to_host(memory, 1)[0], std::byte{1});
  });
}

}  // namespace
}  // namespace emulated
