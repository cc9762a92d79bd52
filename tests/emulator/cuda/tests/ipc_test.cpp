#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>

#include "tests/emulator/cuda/tests/sample.hpp"
#include "tests/emulator/cuda/tests/support.hpp"

namespace emulated {
namespace {

/// Two processes that talk by pipes: body(0) and body(1) with functions to send and receive plain values.
class Pair {
 public:
  Pair() {
    EXPECT_EQ(pipe(there_.data()), 0);
    EXPECT_EQ(pipe(back_.data()), 0);
  }
  template <typename T>
  void send(int from, const T& value) {
    EXPECT_EQ(write((from == 0 ? there_ : back_)[1], &value, sizeof value), static_cast<ssize_t>(sizeof value));
  }
  template <typename T>
  T receive(int to) {
    T value{};
    EXPECT_EQ(read((to == 1 ? there_ : back_)[0], &value, sizeof value), static_cast<ssize_t>(sizeof value));
    return value;
  }

 private:
  std::array<int, 2> there_{}, back_{};
};

TEST(Ipc, MemoryAndEventsOfAnotherProcess) {
  Pair pair;
  const pid_t peer = fork();
  if (peer == 0) {
    const int status = status_of(two_gpus, "", [&] {
      expect_ok(cudaSetDevice(1));
      const auto handle = pair.receive<cudaIpcMemHandle_t>(1);
      const auto event_handle = pair.receive<cudaIpcEventHandle_t>(1);
      void* memory = nullptr;
      expect_ok(cudaIpcOpenMemHandle(&memory, handle, cudaIpcMemLazyEnablePeerAccess));
      cudaEvent_t event = nullptr;
      expect_ok(cudaIpcOpenEventHandle(&event, event_handle));
      const cudaStream_t stream = new_stream();
      expect_ok(cudaStreamWaitEvent(stream, event, 0));
      float* sum = device_array<float>(64);
      const auto* far = static_cast<const float*>(memory);
      expect_ok(sample::launch_add(far, far, sum, 64, stream));
      expect_ok(cudaMemcpyAsync(memory, sum, 64 * sizeof(float), cudaMemcpyDefault, stream));
      expect_ok(cudaStreamSynchronize(stream));
      expect_ok(cudaIpcCloseMemHandle(memory));
      EXPECT_EQ(cudaIpcCloseMemHandle(memory), cudaErrorInvalidValue);
      pair.send(1, 'd');
    });
    _exit(status);
  }
  run(two_gpus, [&] {
    float* block = device_array<float>(256);  // a handle is of the whole block
    cudaIpcMemHandle_t handle;
    expect_ok(cudaIpcGetMemHandle(&handle, block));
    cudaEvent_t event = nullptr;
    expect_ok(cudaEventCreateWithFlags(&event, cudaEventInterprocess | cudaEventDisableTiming));
    cudaIpcEventHandle_t event_handle;
    expect_ok(cudaIpcGetEventHandle(&event_handle, event));
    const std::vector<float> values(64, 1.25F);
    const cudaStream_t stream = new_stream();
    auto* gate = pinned_array<unsigned>(1);
    expect_ok(sample::launch_spin(gate, stream));
    expect_ok(cudaMemcpyAsync(block, values.data(), 64 * sizeof(float), cudaMemcpyHostToDevice, stream));
    expect_ok(cudaEventRecord(event, stream));
    pair.send(0, handle);
    pair.send(0, event_handle);
    usleep(20'000);
    std::atomic_ref<unsigned>(*gate).store(1);
    EXPECT_EQ(pair.receive<char>(0), 'd');
    EXPECT_EQ(to_host(block, 64), std::vector<float>(64, 2.5F));
    void* own = nullptr;
    EXPECT_NE(cudaIpcOpenMemHandle(&own, handle, cudaIpcMemLazyEnablePeerAccess), cudaSuccess)
        << "not in the process that made it";
  });
  int status = -1;
  waitpid(peer, &status, 0);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace emulated
