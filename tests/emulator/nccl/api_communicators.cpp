// The part of NCCL's C interface that makes and ends communicators, and asks about them.
#include "tests/emulator/nccl/exported.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <random>

#include "tests/emulator/cuda/engine.hpp"
#include "tests/emulator/model/noise.hpp"
#include "tests/emulator/nccl/debug.hpp"
#include "tests/emulator/nccl/guard.hpp"
#include "tests/emulator/nccl/handles.hpp"

using emulator::nccl::Communicator;
using emulator::nccl::DebugStream;
using emulator::nccl::Failure;
using emulator::nccl::Group;
using emulator::nccl::grouped;
using emulator::nccl::guarded;
using emulator::nccl::Handles;

namespace {

constexpr char id_mark[] = "emulated-nccl:";
constexpr unsigned config_magic = 0xcafebeef;

void expect(bool holds, ncclResult_t code, const std::string& what) {
  if (!holds) throw Failure(code, what);
}

std::string area_of(const ncclUniqueId& id) {
  const std::string text(id.internal, ::strnlen(id.internal, sizeof(id.internal)));
  expect(text.starts_with(id_mark), ncclInvalidArgument, "commId was not made by ncclGetUniqueId");
  return "nccl-" + text.substr(sizeof(id_mark) - 1);
}

/// Whether calls on the communicator block.
bool blocks(const ncclConfig_t* config, bool otherwise) {
  if (config == nullptr) return otherwise;
  expect(config->magic == config_magic, ncclInvalidArgument,
         "ncclConfig_t argument not initialized via NCCL_CONFIG_INITIALIZER");
  expect(config->blocking == NCCL_CONFIG_UNDEF_INT || config->blocking == 0 || config->blocking == 1,
         ncclInvalidArgument, fmt::format("Invalid config blocking attribute value {}", config->blocking));
  return config->blocking == NCCL_CONFIG_UNDEF_INT ? otherwise : config->blocking == 1;
}

Communicator::Identity identity_here() {
  Communicator::Identity identity;
  const auto error = cudaGetDevice(&identity.device);
  expect(error == cudaSuccess, ncclUnhandledCudaError, error == cudaSuccess ? "" : cudaGetErrorString(error));
  expect(emulator::device_state() == cudaSuccess, ncclUnhandledCudaError, "the device has failed");
  identity.gpu = &emulator::current_gpu();
  return identity;
}

ncclResult_t start(ncclComm_t* comm, int nranks, const ncclUniqueId& id, int rank, const ncclConfig_t* config,
                   const char* function) {
  return grouped([&](Group& group) {
    expect(comm != nullptr, ncclInvalidArgument, fmt::format("{} : comm argument is NULL", function));
    expect(nranks > 0 && rank >= 0 && rank < nranks, ncclInvalidArgument,
           fmt::format("Invalid rank requested : {}/{}", rank, nranks));
    auto identity = identity_here();
    identity.area = area_of(id);
    identity.ranks = nranks;
    identity.rank = rank;
    identity.blocking = blocks(config, true);
    identity.function = function;
    auto communicator = std::make_shared<Communicator>(std::move(identity));
    *comm = Handles::get().add(communicator);
    group.add_start(std::move(communicator));
  });
}

}  // namespace

extern "C" {

ncclResult_t ncclGetVersion(int* version) {
  if (version == nullptr) return ncclInvalidArgument;
  *version = NCCL_VERSION_CODE;
  return ncclSuccess;
}

const char* ncclGetErrorString(ncclResult_t result) {
  switch (result) {
    case ncclSuccess:
      return "no error";
    case ncclUnhandledCudaError:
      return "unhandled cuda error (run with NCCL_DEBUG=INFO for details)";
    case ncclSystemError:
      return "unhandled system error (run with NCCL_DEBUG=INFO for details)";
    case ncclInternalError:
      return "internal error - please report this issue to the NCCL developers";
    case ncclInvalidArgument:
      return "invalid argument (run with NCCL_DEBUG=WARN for details)";
    case ncclInvalidUsage:
      return "invalid usage (run with NCCL_DEBUG=WARN for details)";
    case ncclRemoteError:
      return "remote process exited or there was a network error";
    case ncclInProgress:
      return "NCCL operation in progress";
    default:
      return "unknown result code";
  }
}

const char* ncclGetLastError(ncclComm_t comm) {
  static thread_local std::string text;
  text = emulator::nccl::LastError::get().text();
  guarded([&] {
    if (comm != nullptr) {
      const auto own = Handles::get().find(comm)->last_error();
      if (!own.empty()) text = own;
    }
    return ncclSuccess;
  });
  return text.c_str();
}

void ncclResetDebugInit() { DebugStream::get().reset(); }

ncclResult_t ncclGetUniqueId(ncclUniqueId* uniqueId) {
  return guarded([&] {
    expect(uniqueId != nullptr, ncclInvalidArgument, "ncclGetUniqueId : uniqueId argument is NULL");
    static std::atomic<std::uint64_t> count{0};
    static const std::uint64_t origin = std::random_device{}();
    const auto time = std::chrono::steady_clock::now().time_since_epoch().count();
    const auto process = emulator::mix(origin, static_cast<std::uint64_t>(::getpid()));
    const auto number = emulator::mix(static_cast<std::uint64_t>(time), count++);
    *uniqueId = {};
    const auto text = fmt::format("{}{:016x}{:016x}", id_mark, process, number);
    std::memcpy(uniqueId->internal, text.data(), text.size());
    return ncclSuccess;
  });
}

ncclResult_t ncclCommInitRank(ncclComm_t* comm, int nranks, ncclUniqueId commId, int rank) {
  return start(comm, nranks, commId, rank, nullptr, "ncclCommInitRank");
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t* comm, int nranks, ncclUniqueId commId, int rank, ncclConfig_t* config) {
  return start(comm, nranks, commId, rank, config, "ncclCommInitRankConfig");
}

ncclResult_t ncclCommInitRankScalable(ncclComm_t* newcomm, int nranks, int myrank, int nId, ncclUniqueId* commIds,
                                      ncclConfig_t* config) {
  if (nId < 1 || commIds == nullptr) return ncclInvalidArgument;
  return start(newcomm, nranks, commIds[0], myrank, config, "ncclCommInitRankScalable");
}

ncclResult_t ncclCommInitAll(ncclComm_t* comm, int ndev, const int* devlist) {
  return guarded([&] {
    ncclUniqueId id{};
    int before = 0;
    cudaGetDevice(&before);
    ncclGetUniqueId(&id);
    auto& group = Group::of_this_thread();
    group.start();
    for (int i = 0; i < ndev; ++i) {
      const bool there = cudaSetDevice(devlist == nullptr ? i : devlist[i]) == cudaSuccess;
      if (!there) group.add(Failure(ncclInvalidArgument, fmt::format("device {} of the list is not there", i)));
      if (there) start(&comm[i], ndev, id, i, nullptr, "ncclCommInitAll");
    }
    cudaSetDevice(before);
    group.end();
    return ncclSuccess;
  });
}

ncclResult_t ncclCommSplit(ncclComm_t comm, int color, int key, ncclComm_t* newcomm, ncclConfig_t* config) {
  return grouped([&](Group& group) {
    expect(newcomm != nullptr, ncclInvalidArgument, "ncclCommSplit : newcomm argument is NULL");
    expect(color >= 0 || color == NCCL_SPLIT_NOCOLOR, ncclInvalidArgument, fmt::format("invalid color {}", color));
    auto parent = Handles::get().find(comm);
    parent->expect_ready();
    auto identity = parent->identity();
    identity.blocking = color < 0 || blocks(config, identity.blocking);
    identity.function = "ncclCommSplit";
    identity.split = {std::move(parent), color, key};
    auto communicator = std::make_shared<Communicator>(std::move(identity));
    *newcomm = color < 0 ? nullptr : Handles::get().add(communicator);
    group.add_start(std::move(communicator));
  });
}

ncclResult_t ncclCommFinalize(ncclComm_t comm) {
  return guarded([&] {
    const auto communicator = Handles::get().find(comm);
    communicator->finalize();
    return communicator->identity().blocking ? ncclSuccess : ncclInProgress;
  });
}

ncclResult_t ncclCommDestroy(ncclComm_t comm) {
  return guarded([&] {
    if (comm == nullptr) return ncclSuccess;
    const auto communicator = Handles::get().find(comm);
    if (communicator->asynchronous_error() == ncclSuccess) communicator->drain();
    communicator->abort();  // what is left over after an error must not keep a stream
    Handles::get().drop(comm);
    return ncclSuccess;
  });
}

ncclResult_t ncclCommAbort(ncclComm_t comm) {
  return guarded([&] {
    if (comm == nullptr) return ncclSuccess;
    Handles::get().find(comm)->abort();
    Handles::get().drop(comm);
    return ncclSuccess;
  });
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* asyncError) {
  return guarded([&] {
    expect(asyncError != nullptr, ncclInvalidArgument, "ncclGetAsyncError : asyncError argument is NULL");
    *asyncError = Handles::get().find(comm)->asynchronous_error();
    return ncclSuccess;
  });
}

ncclResult_t ncclCommCount(const ncclComm_t comm, int* count) {
  return guarded([&] {
    const auto communicator = Handles::get().find(comm);
    communicator->expect_ready();
    *count = communicator->identity().ranks;
    return ncclSuccess;
  });
}

ncclResult_t ncclCommCuDevice(const ncclComm_t comm, int* device) {
  return guarded([&] {
    *device = Handles::get().find(comm)->identity().device;
    return ncclSuccess;
  });
}

ncclResult_t ncclCommUserRank(const ncclComm_t comm, int* rank) {
  return guarded([&] {
    const auto communicator = Handles::get().find(comm);
    communicator->expect_ready();
    *rank = communicator->identity().rank;
    return ncclSuccess;
  });
}

}  // extern "C"
