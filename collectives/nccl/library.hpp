#pragma once

#include <nccl.h>

#include <string>

namespace assay::nccl {

/// NCCL's functions, found at run time: a node without NCCL measures everything else. Names as in nccl.h.
struct Library {
  /// ncclAlltoAll, ncclGather and ncclScatter came with 2.28; before, sends and receives in a group do their work.
  using Exchange = ncclResult_t (*)(const void*, void*, size_t, ncclDataType_t, ncclComm_t, cudaStream_t);
  using RootedExchange = ncclResult_t (*)(const void*, void*, size_t, ncclDataType_t, int, ncclComm_t, cudaStream_t);

  int version = 0;   ///< 22809 for 2.28.9
  std::string file;  ///< that it came from

  decltype(&ncclGetUniqueId) get_unique_id = nullptr;
  decltype(&ncclCommInitRankConfig) comm_init_rank_config = nullptr;
  decltype(&ncclCommDestroy) comm_destroy = nullptr;
  decltype(&ncclCommAbort) comm_abort = nullptr;
  decltype(&ncclCommGetAsyncError) comm_get_async_error = nullptr;
  decltype(&ncclGetErrorString) get_error_string = nullptr;
  decltype(&ncclGetLastError) get_last_error = nullptr;
  decltype(&ncclAllReduce) all_reduce = nullptr;
  decltype(&ncclAllGather) all_gather = nullptr;
  decltype(&ncclReduceScatter) reduce_scatter = nullptr;
  decltype(&ncclBroadcast) broadcast = nullptr;
  decltype(&ncclReduce) reduce = nullptr;
  decltype(&ncclSend) send = nullptr;
  decltype(&ncclRecv) receive = nullptr;
  decltype(&ncclGroupStart) group_start = nullptr;
  decltype(&ncclGroupEnd) group_end = nullptr;
  Exchange all_to_all = nullptr;     ///< nullptr in old versions
  RootedExchange gather = nullptr;   ///< nullptr in old versions
  RootedExchange scatter = nullptr;  ///< nullptr in old versions

  /// "2.28.9"
  [[nodiscard]] std::string version_text() const;
  /// "unhandled cuda error: Cuda failure 719 ..." (NCCL's last words on it, where it has any).
  [[nodiscard]] std::string words(ncclResult_t result) const;
};

/// libnccl.so.2 as the loader finds it, or from the folders of toolkits and Python packages. It stays in the process.
/// Throws Error(environment) when there is none, it is older than 2.18, or a function is missing.
[[nodiscard]] Library open_library();

}  // namespace assay::nccl
