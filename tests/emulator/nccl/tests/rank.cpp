#include "tests/emulator/nccl/tests/rank.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

namespace emulator::nccl::tests {
namespace {

[[noreturn]] void stop(const std::string& why) {
  fmt::print(stderr, "{}\n", why);
  std::fflush(stderr);
  std::_Exit(1);
}

}  // namespace

void check(cudaError_t error, const char* what) {
  if (error != cudaSuccess) stop(fmt::format("{}: {}", what, cudaGetErrorString(error)));
}

void check(ncclResult_t result, const char* what) {
  if (result != ncclSuccess)
    stop(fmt::format("{}: {}: {}", what, ncclGetErrorString(result), ncclGetLastError(nullptr)));
}

void expect(bool holds, const std::string& what) {
  if (!holds) stop("not so: " + what);
}

Buffer::Buffer(std::size_t bytes) : bytes_(bytes) { check(cudaMalloc(&data_, bytes), "cudaMalloc"); }
Buffer::~Buffer() { cudaFree(data_); }
void Buffer::clear() const {
  check(cudaMemset(data_, 0, bytes_), "cudaMemset");
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");  // the ranks' streams do not wait for the default stream
}
void Buffer::write(std::size_t offset, const void* from, std::size_t bytes) const {
  check(cudaMemcpy(data() + offset, from, bytes, cudaMemcpyHostToDevice), "cudaMemcpy to the device");
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");  // pageable memory: the copy may still be under way
}
void Buffer::read(std::size_t offset, void* to, std::size_t bytes) const {
  check(cudaMemcpy(to, data() + offset, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy to the host");
}

Rank::Rank(int rank, int ranks, int local, std::vector<std::string> words)
    : rank_(rank), ranks_(ranks), words_(std::move(words)) {
  check(cudaSetDevice(local), "cudaSetDevice");
  check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
}

Rank::~Rank() { cudaStreamDestroy(stream_); }

ncclUniqueId Rank::id(const std::string& name) const {
  const std::filesystem::path path = std::filesystem::path(std::getenv("ASSAY_EMULATOR_STATE")) / ("id-" + name);
  ncclUniqueId id{};
  if (rank_ == 0) {
    check(ncclGetUniqueId(&id), "ncclGetUniqueId");
    const auto part = path.string() + ".part";
    std::ofstream(part, std::ios::binary).write(id.internal, sizeof(id.internal));
    std::filesystem::rename(part, path);
    return id;
  }
  while (!std::filesystem::exists(path)) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  std::ifstream(path, std::ios::binary).read(id.internal, sizeof(id.internal));
  return id;
}

void Rank::meet(const std::string& name) const {
  const std::filesystem::path state = std::getenv("ASSAY_EMULATOR_STATE");
  const auto file = [&](int rank) { return state / fmt::format("met-{}-{}", name, rank); };
  std::ofstream(file(rank_)) << "";
  for (int rank = 0; rank < ranks_; ++rank) {
    while (!std::filesystem::exists(file(rank))) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

ncclComm_t Rank::communicator(const std::string& name) const {
  ncclComm_t comm = nullptr;
  check(ncclCommInitRank(&comm, ranks_, id(name), rank_), "ncclCommInitRank");
  return comm;
}

double Rank::timed(const std::function<void()>& work) const {
  cudaEvent_t begin = nullptr, end = nullptr;
  check(cudaEventCreate(&begin), "cudaEventCreate");
  check(cudaEventCreate(&end), "cudaEventCreate");
  check(cudaEventRecord(begin, stream_), "cudaEventRecord");
  work();
  check(cudaEventRecord(end, stream_), "cudaEventRecord");
  synchronize();
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, begin, end), "cudaEventElapsedTime");
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  return static_cast<double>(milliseconds) * 1e-3;
}

void Rank::say(const std::string& name, double value) const { say(name, fmt::format("{:.9e}", value)); }
void Rank::say(const std::string& name, const std::string& value) const {
  fmt::print("{} {} {}\n", rank_, name, value);
  std::fflush(stdout);
}

}  // namespace emulator::nccl::tests

int main(int argc, char** argv) {
  using namespace emulator::nccl::tests;
  expect(argc >= 5, "usage: nccl_rank SCENARIO RANK RANKS LOCAL_RANK [WORDS...]");
  auto all = data_scenarios();
  all.merge(behaviour_scenarios());
  const auto found = all.find(argv[1]);
  expect(found != all.end(), std::string("no scenario ") + argv[1]);
  Rank rank(std::atoi(argv[2]), std::atoi(argv[3]), std::atoi(argv[4]), {argv + 5, argv + argc});
  found->second(rank);
  rank.say("end", "ok");
  return 0;
}
