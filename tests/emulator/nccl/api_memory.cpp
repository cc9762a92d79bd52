// The part of NCCL's C interface about memory and reductions of the application's own.
#include "tests/emulator/nccl/exported.hpp"

#include "tests/emulator/cuda/engine.hpp"
#include "tests/emulator/nccl/guard.hpp"
#include "tests/emulator/nccl/handles.hpp"

using emulator::nccl::Failure;
using emulator::nccl::guarded;
using emulator::nccl::Handles;

extern "C" {

ncclResult_t ncclMemAlloc(void** ptr, size_t size) {
  if (ptr == nullptr) return ncclInvalidArgument;
  return cudaMalloc(ptr, size) == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
}

ncclResult_t ncclMemFree(void* ptr) { return cudaFree(ptr) == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError; }

ncclResult_t ncclCommRegister(const ncclComm_t comm, void* buff, size_t size, void** handle) {
  return guarded([&] {
    const auto communicator = Handles::get().find(comm);
    if (handle == nullptr || size == 0 || emulator::host_alias(buff, size) == nullptr) {
      throw Failure(ncclInvalidArgument, "ncclCommRegister : not memory of the device");
    }
    *handle = buff;
    return ncclSuccess;
  });
}

ncclResult_t ncclCommDeregister(const ncclComm_t comm, void* handle) {
  return guarded([&] {
    const auto communicator = Handles::get().find(comm);
    return handle == nullptr ? ncclInvalidArgument : ncclSuccess;
  });
}

ncclResult_t ncclRedOpCreatePreMulSum(ncclRedOp_t* op, void* scalar, ncclDataType_t datatype,
                                      ncclScalarResidence_t residence, ncclComm_t comm) {
  return guarded([&] {
    const auto communicator = Handles::get().find(comm);
    if (op == nullptr || scalar == nullptr || emulator::nccl::size_of(datatype) == 0) return ncclInvalidArgument;
    const bool here = residence == ncclScalarHostImmediate;
    *op = communicator->add_reduction(
        {.scalar = here ? emulator::nccl::value_of(datatype, scalar) : 1, .device_scalar = here ? nullptr : scalar});
    return ncclSuccess;
  });
}

ncclResult_t ncclRedOpDestroy(ncclRedOp_t op, ncclComm_t comm) {
  return guarded([&] {
    Handles::get().find(comm)->remove_reduction(op);
    return ncclSuccess;
  });
}

}  // extern "C"
