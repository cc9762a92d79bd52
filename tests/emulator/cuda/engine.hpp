#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <string>
#include <vector>

/// What the emulated libcudart.so.13 offers to the other emulated libraries (NCCL, cuBLASLt) besides the CUDA API. They
/// link the emulated libcudart; each declaration below is exported by it.
namespace emulator {
struct Gpu;
struct Cost;
}  // namespace emulator

#pragma GCC visibility push(default)

namespace emulator {

/// Thrown by StreamWork::run: the stream's device fails with this error, sticky as on hardware (every later call of
/// the process returns it). cudaErrorNotReady means "given up without an error" (an aborted operation): nothing
/// sticks.
class StreamFault : public std::exception {
 public:
  explicit StreamFault(cudaError_t error) : error_(error) {}
  [[nodiscard]] cudaError_t error() const { return error_; }
  [[nodiscard]] const char* what() const noexcept override { return "emulated device fault"; }

 private:
  cudaError_t error_;
};

/// One operation of another library, run in the order of its stream.
struct StreamWork {
  std::string name;  ///< such as "ncclAllReduce"; faults (hang, crash, lost_gpu) are planted by it
  /// Does the work. Argument and result: virtual time in seconds at which it starts and ends (end >= start). Runs
  /// once for each launch (many times when captured into a graph), in a thread that is not always the same, never
  /// twice at once for one stream. May block: a stream never holds up another one.
  std::function<double(double start)> run;
  /// Resources of the model (Route::resources, NIC ports) that it occupies: announced to all processes from
  /// enqueueing on until the end of run, so that sharers() of others count it.
  std::vector<int> resources;
  bool may_block = true;  ///< False: run ends soon, whatever others do; a query of the stream may then run it.
  bool writes = true;     ///< Changes memory; false for what only repeats what is there (see memory_version()).
};

/// Puts work into a stream, or into the graph that the stream is capturing. A null stream is the legacy default
/// stream of the current device. Host cost of the call: about 2 us of virtual time. Sets no last error.
cudaError_t enqueue(cudaStream_t stream, StreamWork work);

/// CPU address behind an address of the application; nullptr when the current device cannot reach all of the bytes:
/// they are neither its own memory, nor that of a device whose peer access is enabled from it, nor opened by IPC, nor
/// pinned host memory. Valid until the memory is freed. Translate when the call is made, as the current device counts.
void* host_alias(const void* device_pointer, std::size_t bytes);

/// Virtual host time of this process in seconds, and a step of it.
double host_clock();
void advance_host(double seconds);

/// Raises the host clock to `seconds` when it is behind (a blocking call of another library returns at that time).
void raise_host(double seconds);

/// The card behind a stream (null: of the current device), and the calling thread's current one.
const Gpu& gpu_of(cudaStream_t stream);
const Gpu& current_gpu();

/// Number by which the application knows the stream's device.
int device_of(cudaStream_t stream);

/// True while the stream captures a graph.
bool is_capturing(cudaStream_t stream);

/// The sticky error of the current device; cudaSuccess when it is sound.
cudaError_t device_state();

/// Time [s] of a kernel of this cost on the device of the stream that runs the calling work: with launch, noise and
/// sharing; counted as load of the card. To be called within StreamWork::run.
double work_seconds(const Cost& cost);

/// Changes whenever an operation of this process has written memory: results of the same operation on the same
/// addresses are still there while it stays.
std::uint64_t memory_version();
/// Makes it change, for work with writes == false that did write.
void note_write();

/// Users (this process's stream that asks included, so >= 1) of a resource at this moment. To be called within
/// StreamWork::run by a work that announced the resource.
int sharers(int resource);

}  // namespace emulator

#pragma GCC visibility pop

/// Present in emulated libraries only; its value is 1.
extern "C" __attribute__((visibility("default"))) int assay_emulated;
