#include "tests/emulator/cuda/tests/sample.hpp"
#include "tests/emulator/cuda/tests/support.hpp"

namespace emulated {
namespace {

TEST(Graph, RunsWhatWasCaptured) {
  run(one_gpu, [] {
    const cudaStream_t stream = new_stream();
    unsigned* counter = to_device(std::vector<unsigned>{0});
    auto* host = pinned_array<unsigned>(1);
    expect_ok(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    for (int i = 0; i < 20; ++i) expect_ok(sample::launch_count(counter, nullptr, 1, 2, stream));
    expect_ok(cudaMemcpyAsync(host, counter, sizeof *host, cudaMemcpyDeviceToHost, stream));
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    expect_ok(cudaStreamEndCapture(stream, &graph));
    std::size_t nodes = 0;
    expect_ok(cudaGraphGetNodes(graph, nullptr, &nodes));
    EXPECT_EQ(nodes, 21U);
    EXPECT_EQ(to_host(counter, 1)[0], 0U) << "capturing runs nothing";
    expect_ok(cudaGraphInstantiate(&executable, graph, 0));
    expect_ok(cudaGraphDestroy(graph));
    double seconds = 0;
    for (int launches = 1; launches <= 3; ++launches) {
      seconds = seconds_of(stream, [&] { expect_ok(cudaGraphLaunch(executable, stream)); });
      EXPECT_EQ(host[0], 40U * static_cast<unsigned>(launches));
    }
    EXPECT_LT(seconds / 21, 2.7e-6) << "quicker than single launches";
    expect_ok(cudaGraphExecDestroy(executable));
  });
}

TEST(Graph, ForksAndJoinsByEvents) {
  run(one_gpu, [] {
    constexpr std::size_t bytes = std::size_t{1} << 30;
    const cudaStream_t origin = new_stream(), side = new_stream();
    const cudaEvent_t fork = new_event(), join = new_event();
    auto* memory = device_array<std::byte>(2 * bytes);
    expect_ok(cudaStreamBeginCapture(origin, cudaStreamCaptureModeThreadLocal));
    expect_ok(cudaEventRecord(fork, origin));
    expect_ok(cudaStreamWaitEvent(side, fork, 0));
    expect_ok(cudaMemsetAsync(memory, 1, bytes, origin));
    expect_ok(cudaMemsetAsync(memory + bytes, 2, bytes, side));
    cudaStreamCaptureStatus status{};
    expect_ok(cudaStreamIsCapturing(side, &status));
    EXPECT_EQ(status, cudaStreamCaptureStatusActive);
    expect_ok(cudaEventRecord(join, side));
    expect_ok(cudaStreamWaitEvent(origin, join, 0));
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    expect_ok(cudaStreamEndCapture(origin, &graph));
    expect_ok(cudaGraphInstantiate(&executable, graph, 0));
    expect_ok(cudaGraphLaunch(executable, origin));
    expect_ok(cudaStreamSynchronize(origin));
    EXPECT_EQ(to_host(memory, 1)[0], std::byte{1});
    EXPECT_EQ(to_host(memory + bytes, 1)[0], std::byte{2});
  });
}

TEST(Graph, UnjoinedForkIsAnError) {
  run(one_gpu, [] {
    const cudaStream_t origin = new_stream(), side = new_stream();
    const cudaEvent_t fork = new_event();
    auto* memory = device_array<std::byte>(64);
    expect_ok(cudaStreamBeginCapture(origin, cudaStreamCaptureModeThreadLocal));
    expect_ok(cudaMemsetAsync(memory, 1, 64, origin));
    expect_ok(cudaEventRecord(fork, origin));
    expect_ok(cudaStreamWaitEvent(side, fork, 0));
    expect_ok(cudaMemsetAsync(memory, 1, 64, side));
    cudaGraph_t graph = nullptr;
    EXPECT_EQ(cudaStreamEndCapture(origin, &graph), cudaErrorStreamCaptureUnjoined);
    EXPECT_EQ(graph, nullptr);
  });
}

TEST(Graph, WaitingForACapturingStreamEndsTheCapture) {
  run(one_gpu, [] {
    const cudaStream_t stream = new_stream();
    expect_ok(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    void* memory = nullptr;
    EXPECT_EQ(cudaMalloc(&memory, 64), cudaErrorStreamCaptureUnsupported);
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorStreamCaptureUnsupported);
    cudaGraph_t graph = nullptr;
    EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);
    expect_ok(cudaStreamSynchronize(stream));
  });
}

TEST(Graph, EventsInsideAreRecordedWhenAskedFor) {
  run(one_gpu, [] {
    const cudaStream_t stream = new_stream();
    constexpr std::size_t bytes = std::size_t{1} << 30;
    auto* memory = device_array<std::byte>(bytes);
    const cudaEvent_t start = new_event(), end = new_event();
    expect_ok(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    expect_ok(cudaEventRecordWithFlags(start, stream, cudaEventRecordExternal));
    expect_ok(cudaMemsetAsync(memory, 1, bytes, stream));
    expect_ok(cudaEventRecordWithFlags(end, stream, cudaEventRecordExternal));
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    expect_ok(cudaStreamEndCapture(stream, &graph));
    expect_ok(cudaGraphInstantiate(&executable, graph, 0));
    expect_ok(cudaGraphLaunch(executable, stream));
    expect_ok(cudaEventSynchronize(end));
    float milliseconds = 0;
    expect_ok(cudaEventElapsedTime(&milliseconds, start, end));
    EXPECT_NEAR(milliseconds, 0.34, 0.08);
  });
}

}  // namespace
}  // namespace emulated
