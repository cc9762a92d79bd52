#pragma once

#include <cuda_runtime_api.h>
#include <nccl.h>

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

/// One rank of the program that the tests start many times: `nccl_rank SCENARIO RANK RANKS LOCAL_RANK [WORDS...]`.
namespace emulator::nccl::tests {

/// End with a message when the call fails.
void check(cudaError_t error, const char* what);
void check(ncclResult_t result, const char* what);
void expect(bool holds, const std::string& what);

/// Memory of the device, filled and read through copies as any program does.
class Buffer {
 public:
  explicit Buffer(std::size_t bytes);
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  [[nodiscard]] char* data() const { return static_cast<char*>(data_); }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  void clear() const;
  void write(std::size_t offset, const void* from, std::size_t bytes) const;
  void read(std::size_t offset, void* to, std::size_t bytes) const;

 private:
  void* data_ = nullptr;
  std::size_t bytes_;
};

/// What every scenario starts with: a rank on its device, a stream, and a way to hand out ids.
class Rank {
 public:
  Rank(int rank, int ranks, int local, std::vector<std::string> words);
  ~Rank();
  Rank(const Rank&) = delete;
  Rank& operator=(const Rank&) = delete;

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int ranks() const { return ranks_; }
  [[nodiscard]] cudaStream_t stream() const { return stream_; }
  [[nodiscard]] const std::vector<std::string>& words() const { return words_; }

  /// The id that rank 0 made under this name, through a file of the state directory.
  ncclUniqueId id(const std::string& name) const;
  /// A communicator of all ranks.
  ncclComm_t communicator(const std::string& name = "world") const;
  /// Waits for the stream; the time that `work` put into it took on the device [s].
  double timed(const std::function<void()>& work) const;
  /// Waits until all ranks have come here, by files of the state directory; once for each name.
  void meet(const std::string& name) const;
  void synchronize() const { check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize"); }
  /// For the test: one line "RANK name value".
  void say(const std::string& name, double value) const;
  void say(const std::string& name, const std::string& value) const;

 private:
  int rank_, ranks_;
  std::vector<std::string> words_;
  cudaStream_t stream_ = nullptr;
};

using Scenario = void (*)(Rank&);
/// All scenarios by name.
std::map<std::string, Scenario> data_scenarios();
std::map<std::string, Scenario> behaviour_scenarios();

}  // namespace emulator::nccl::tests
