// Scenarios about errors, aborts, graphs, groups and parts of communicators.
#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "tests/emulator/nccl/tests/rank.hpp"

namespace emulator::nccl::tests {
namespace {

using namespace std::chrono_literals;

float first_of(const Buffer& buffer) {
  float value = 0;
  buffer.read(0, &value, sizeof(value));
  return value;
}
void set_first(const Buffer& buffer, float value) { buffer.write(0, &value, sizeof(value)); }

void all_reduce(const Rank& rank, ncclComm_t comm, const Buffer& buffer) {
  check(ncclAllReduce(buffer.data(), buffer.data(), buffer.bytes() / 4, ncclFloat32, ncclSum, comm, rank.stream()),
        "ncclAllReduce");
}

/// Polls until the stream is done, or so long.
bool done_within(const Rank& rank, std::chrono::milliseconds most) {
  const auto until = std::chrono::steady_clock::now() + most;
  while (std::chrono::steady_clock::now() < until) {
    const auto state = cudaStreamQuery(rank.stream());
    if (state == cudaSuccess) return true;
    expect(state == cudaErrorNotReady, fmt::format("cudaStreamQuery: {}", cudaGetErrorString(state)));
    std::this_thread::sleep_for(5ms);
  }
  return false;
}

/// The last rank stays away: the others wait until they abort, and their streams drain.
void stay_away(Rank& rank) {
  const auto comm = rank.communicator();
  const Buffer buffer(4096);
  all_reduce(rank, comm, buffer);
  rank.synchronize();
  if (rank.rank() == rank.ranks() - 1) {
    std::this_thread::sleep_for(1500ms);
    check(ncclCommAbort(comm), "ncclCommAbort");
    return;
  }
  all_reduce(rank, comm, buffer);
  all_reduce(rank, comm, buffer);
  expect(!done_within(rank, 300ms), "an operation without all ranks does not end");
  ncclResult_t error = ncclSystemError;
  check(ncclCommGetAsyncError(comm, &error), "ncclCommGetAsyncError");
  expect(error == ncclSuccess, "waiting is no error");
  check(ncclCommAbort(comm), "ncclCommAbort");
  expect(done_within(rank, 3000ms), "the stream drains after the abort");
  expect(ncclCommCount(comm, nullptr) == ncclInvalidArgument, "an aborted handle is refused");
}

/// As the fault plans, one rank hangs; everyone sees it and aborts.
void hang(Rank& rank) {
  const auto comm = rank.communicator();
  const Buffer buffer(4096);
  int done = 0;
  for (int i = 0; i < 5; ++i) {
    all_reduce(rank, comm, buffer);
    if (!done_within(rank, 700ms)) break;
    ++done;
  }
  rank.say("done", done);
  check(ncclCommAbort(comm), "ncclCommAbort");
  expect(done_within(rank, 3000ms), "the stream drains after the abort");
}

void mismatch(Rank& rank) {
  const auto comm = rank.communicator();
  const Buffer buffer(4096);
  const std::size_t count = rank.rank() == 1 ? 99 : 100;
  check(ncclAllReduce(buffer.data(), buffer.data(), count, ncclFloat32, ncclSum, comm, rank.stream()), "ncclAllReduce");
  rank.synchronize();
  ncclResult_t error = ncclSuccess;
  check(ncclCommGetAsyncError(comm, &error), "ncclCommGetAsyncError");
  expect(error == ncclInvalidUsage, fmt::format("asynchronous error {}", ncclGetErrorString(error)));
  rank.say("text", ncclGetLastError(comm));
  check(ncclCommAbort(comm), "ncclCommAbort");
}

void message_mismatch(Rank& rank) {
  const auto comm = rank.communicator();
  const Buffer buffer(4096);
  if (rank.rank() == 0) check(ncclSend(buffer.data(), 16, ncclInt8, 1, comm, rank.stream()), "ncclSend");
  if (rank.rank() == 1) check(ncclRecv(buffer.data(), 32, ncclInt8, 0, comm, rank.stream()), "ncclRecv");
  rank.synchronize();
  ncclResult_t error = ncclSuccess;
  check(ncclCommGetAsyncError(comm, &error), "ncclCommGetAsyncError");
  expect(error == ncclInvalidUsage, fmt::format("asynchronous error {}", ncclGetErrorString(error)));
  check(ncclCommAbort(comm), "ncclCommAbort");
}

/// Odd and even ranks apart, in reverse order; and one rank left out.
void split(Rank& rank) {
  const auto comm = rank.communicator();
  ncclComm_t part = nullptr, without_first = nullptr;
  check(ncclCommSplit(comm, rank.rank() % 2, -rank.rank(), &part, nullptr), "ncclCommSplit");
  int count = 0, number = 0;
  check(ncclCommCount(part, &count), "ncclCommCount");
  check(ncclCommUserRank(part, &number), "ncclCommUserRank");
  expect(count == rank.ranks() / 2, "each half has half of the ranks");
  expect(number == count - 1 - rank.rank() / 2, "the key orders the ranks");
  const Buffer buffer(4096);
  set_first(buffer, static_cast<float>(1 << rank.rank()));
  all_reduce(rank, part, buffer);
  rank.synchronize();
  float expected = 0;
  for (int r = rank.rank() % 2; r < rank.ranks(); r += 2) expected += static_cast<float>(1 << r);
  expect(first_of(buffer) == expected, "a half sums its own ranks");
  const int color = rank.rank() == 0 ? NCCL_SPLIT_NOCOLOR : 7;
  check(ncclCommSplit(comm, color, 0, &without_first, nullptr), "ncclCommSplit");
  expect((without_first == nullptr) == (rank.rank() == 0), "no color, no communicator");
  if (without_first != nullptr) {
    set_first(buffer, 1);
    all_reduce(rank, without_first, buffer);
    rank.synchronize();
    expect(first_of(buffer) == static_cast<float>(rank.ranks() - 1), "all but the first");
    check(ncclCommDestroy(without_first), "ncclCommDestroy");
  }
  check(ncclCommDestroy(part), "ncclCommDestroy");
  check(ncclCommDestroy(comm), "ncclCommDestroy");
}

/// A captured all-reduce, launched several times.
void graph(Rank& rank) {
  const auto comm = rank.communicator();
  const Buffer buffer(4096);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  check(cudaStreamBeginCapture(rank.stream(), cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
  for (int i = 0; i < 3; ++i) all_reduce(rank, comm, buffer);
  check(cudaStreamEndCapture(rank.stream(), &graph), "cudaStreamEndCapture");
  check(cudaGraphInstantiate(&exec, graph, 0), "cudaGraphInstantiate");
  set_first(buffer, 1);
  double seconds = 0;
  for (int launch = 0; launch < 2; ++launch) {
    seconds = rank.timed([&] { check(cudaGraphLaunch(exec, rank.stream()), "cudaGraphLaunch"); });
  }
  float expected = 1;
  for (int i = 0; i < 6; ++i) expected *= static_cast<float>(rank.ranks());
  expect(first_of(buffer) == expected, fmt::format("{} after 2 launches of 3", first_of(buffer)));
  rank.say("seconds", seconds);
  check(cudaGraphExecDestroy(exec), "cudaGraphExecDestroy");
  check(cudaGraphDestroy(graph), "cudaGraphDestroy");
  check(ncclCommDestroy(comm), "ncclCommDestroy");
}

ncclComm_t make_later(const Rank& rank) {
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  config.trafficClass = 3;
  ncclComm_t comm = nullptr;
  const auto first = ncclCommInitRankConfig(&comm, rank.ranks(), rank.id("world"), rank.rank(), &config);
  expect(first == ncclInProgress || first == ncclSuccess, "a non-blocking start returns at once");
  return comm;
}

ncclResult_t settled(ncclComm_t comm, std::chrono::milliseconds most) {
  ncclResult_t state = ncclInProgress;
  const auto until = std::chrono::steady_clock::now() + most;
  while (state == ncclInProgress && std::chrono::steady_clock::now() < until) {
    check(ncclCommGetAsyncError(comm, &state), "ncclCommGetAsyncError");
    std::this_thread::sleep_for(1ms);
  }
  return state;
}

void non_blocking(Rank& rank) {
  const auto comm = make_later(rank);
  expect(settled(comm, 20000ms) == ncclSuccess, "all ranks have come");
  const Buffer buffer(4096);
  set_first(buffer, 1);
  const auto result = ncclAllReduce(buffer.data(), buffer.data(), 10, ncclFloat32, ncclSum, comm, rank.stream());
  expect(result == ncclSuccess || result == ncclInProgress, "the call is taken");
  expect(settled(comm, 20000ms) == ncclSuccess, "the call is enqueued");
  rank.synchronize();
  expect(first_of(buffer) == static_cast<float>(rank.ranks()), "the sum");
  const auto end = ncclCommFinalize(comm);
  expect(end == ncclSuccess || end == ncclInProgress, "finalize");
  expect(settled(comm, 20000ms) == ncclSuccess, "finalized");
  check(ncclCommDestroy(comm), "ncclCommDestroy");
}

/// Rank 0 alone: its start never ends, and an abort takes it back.
void lonely_start(Rank& rank) {
  if (rank.rank() != 0) return;
  const auto comm = make_later(rank);
  expect(settled(comm, 200ms) == ncclInProgress, "not without the others");
  check(ncclCommAbort(comm), "ncclCommAbort");
}

void same_gpu_twice(Rank& rank) {
  ncclComm_t comm = nullptr;
  const auto result = ncclCommInitRank(&comm, rank.ranks(), rank.id("world"), rank.rank());
  expect(result == ncclInvalidUsage, ncclGetErrorString(result));
  rank.say("text", ncclGetLastError(nullptr));
}

/// A pinned algorithm that a collective does not have.
void no_algorithm(Rank& rank) {
  const auto comm = rank.communicator();
  const Buffer buffer(4096);
  const auto result = ncclBroadcast(buffer.data(), buffer.data(), 10, ncclFloat32, 0, comm, rank.stream());
  expect(result == ncclInvalidUsage, ncclGetErrorString(result));
  rank.say("text", ncclGetLastError(comm));
  check(ncclCommDestroy(comm), "ncclCommDestroy");
}

/// One all-reduce of 8 MiB; the test reads the debug stream.
void once(Rank& rank) {
  const auto comm = rank.communicator();
  const Buffer buffer(8 << 20);
  rank.say("seconds", rank.timed([&] { all_reduce(rank, comm, buffer); }));
  check(ncclCommDestroy(comm), "ncclCommDestroy");
}

void bad_arguments(Rank& rank) {
  const auto comm = rank.communicator();
  const Buffer buffer(4096);
  const auto stream = rank.stream();
  expect(ncclAllReduce(buffer.data(), buffer.data(), 1, ncclNumTypes, ncclSum, comm, stream) == ncclInvalidArgument,
         "type");
  expect(ncclReduce(buffer.data(), buffer.data(), 1, ncclInt8, ncclSum, 99, comm, stream) == ncclInvalidArgument,
         "root");
  expect(ncclSend(buffer.data(), 1, ncclInt8, -1, comm, stream) == ncclInvalidArgument, "peer");
  expect(ncclAllReduce(buffer.data(), buffer.data(), 1, ncclInt8, ncclSum, nullptr, stream) == ncclInvalidArgument,
         "comm");
  expect(ncclGroupEnd() == ncclInvalidUsage, "a group that was not started");
  ncclWindow_t window = nullptr;
  expect(ncclCommWindowRegister(comm, buffer.data(), 4096, &window, 0) != ncclSuccess, "not emulated");
  check(ncclCommDestroy(comm), "ncclCommDestroy");
  expect(ncclCommDestroy(comm) == ncclInvalidArgument, "destroyed twice");
}

/// One wrong bit on the card of the fault, and nowhere else.
void wrong(Rank& rank) {
  const auto comm = rank.communicator();
  const std::size_t count = 1 << 18;
  const Buffer buffer(count * 4);
  buffer.clear();
  all_reduce(rank, comm, buffer);
  rank.synchronize();
  std::vector<float> values(count);
  buffer.read(0, values.data(), count * 4);
  double wrong = 0;
  for (const float value : values) wrong += value == 0 ? 0 : 1;
  rank.say("wrong", wrong);
  check(ncclCommDestroy(comm), "ncclCommDestroy");
}

/// Holds a stream until all ranks have enqueued their work.
class Gate {
 public:
  explicit Gate(const Rank& rank) {
    const auto wait = [](void* flag) {
      while (!static_cast<std::atomic<bool>*>(flag)->load()) std::this_thread::sleep_for(1ms);
    };
    check(cudaLaunchHostFunc(rank.stream(), wait, &open_), "cudaLaunchHostFunc");
  }
  void open_when_all_are_here(const Rank& rank) {
    rank.meet("gate");
    open_ = true;
  }

 private:
  std::atomic<bool> open_{false};
};

/// All-reduces of pairs of ranks, one of each node, that are under way at the same time; or of the first pair alone.
void pairs_at_once(Rank& rank) {
  const auto comm = rank.communicator();
  const int pairs = rank.ranks() / 2;
  ncclComm_t pair = nullptr;
  check(ncclCommSplit(comm, rank.rank() % pairs, 0, &pair, nullptr), "ncclCommSplit");
  const std::size_t bytes = std::size_t{1} << 30;
  const Buffer buffer(bytes);
  const bool alone = rank.words().front() == "alone", idle = alone && rank.rank() % pairs != 0;
  Gate gate(rank);
  cudaEvent_t begin = nullptr, end = nullptr;
  check(cudaEventCreate(&begin), "cudaEventCreate");
  check(cudaEventCreate(&end), "cudaEventCreate");
  check(cudaEventRecord(begin, rank.stream()), "cudaEventRecord");
  for (int i = 0; i < 3 && !idle; ++i) all_reduce(rank, pair, buffer);
  check(cudaEventRecord(end, rank.stream()), "cudaEventRecord");
  gate.open_when_all_are_here(rank);
  rank.synchronize();
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, begin, end), "cudaEventElapsedTime");
  if (!idle) rank.say("rate", 3 * static_cast<double>(bytes) / (static_cast<double>(milliseconds) * 1e-3));
  check(ncclCommDestroy(pair), "ncclCommDestroy");
  check(ncclCommDestroy(comm), "ncclCommDestroy");
}

}  // namespace

std::map<std::string, Scenario> behaviour_scenarios() {
  return {{"stay_away", stay_away},
          {"hang", hang},
          {"mismatch", mismatch},
          {"message_mismatch", message_mismatch},
          {"split", split},
          {"graph", graph},
          {"non_blocking", non_blocking},
          {"lonely_start", lonely_start},
          {"same_gpu_twice", same_gpu_twice},
          {"no_algorithm", no_algorithm},
          {"once", once},
          {"bad_arguments", bad_arguments},
          {"wrong", wrong},
          {"pairs_at_once", pairs_at_once}};
}

}  // namespace emulator::nccl::tests
