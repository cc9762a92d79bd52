#pragma once

#include <nccl.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/emulator/model/windows.hpp"
#include "tests/emulator/nccl/model.hpp"
#include "tests/emulator/nccl/reduce.hpp"

namespace emulator::nccl {

/// A collective as the application calls it.
struct Call {
  Collective collective{};
  const void* send = nullptr;
  void* receive = nullptr;
  std::size_t count = 0;
  ncclDataType_t type = ncclFloat32;
  Reduction reduction;
  const void* device_scalar = nullptr;  ///< Of a scaled reduction: where its factor lies, when it is on the device.
  int root = 0;
};

/// As NCCL's log and the names of faults have it: "AllReduce".
const char* name_of(Collective collective);

/// Seconds per byte of each segment for one collective and algorithm, and what each rank announces of them.
struct Plan {
  Collective collective{};
  Algorithm algorithm{};
  double latency = 0;
  std::vector<double> loads;
  std::vector<std::vector<int>> announced;  ///< Per rank: indices of segments.
};
Plan plan_of(Collective collective, Algorithm algorithm, const Shape& shape, int root);

/// A collective ready to run: addresses of the CPU, and the time model's choice.
struct Operation {
  Call call;
  const std::byte* send = nullptr;
  std::byte* receive = nullptr;
  const std::byte* scalar = nullptr;
  std::size_t block_bytes = 0;   ///< One rank's part (the whole, for all-reduce, broadcast and reduce).
  double size = 0;               ///< S of the time model [B]
  std::vector<Window> windows;   ///< Of a block: the part that moves.
  std::size_t packed_bytes = 0;  ///< Of these windows.
  Protocol protocol{};
  const Plan* plan = nullptr;
  bool bad_address = false;
};

/// Bytes that the call reads from and writes to this rank's buffers.
std::size_t send_bytes(const Call& call, int ranks, int rank);
std::size_t receive_bytes(const Call& call, int ranks, int rank);
/// S of the time model: what nccl-tests calls the size.
double size_of(const Call& call, int ranks);

/// One side of a message between two ranks.
struct Message {
  bool sends = false;
  int peer = 0;
  std::byte* data = nullptr;
  std::size_t bytes = 0;
  ncclDataType_t type = ncclFloat32;
  bool bad_address = false;
};

}  // namespace emulator::nccl
