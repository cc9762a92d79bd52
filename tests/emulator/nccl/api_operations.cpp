// The part of NCCL's C interface that moves data.
#include "tests/emulator/nccl/exported.hpp"

#include "tests/emulator/nccl/group.hpp"
#include "tests/emulator/nccl/guard.hpp"
#include "tests/emulator/nccl/handles.hpp"

using emulator::nccl::Call;
using emulator::nccl::Collective;
using emulator::nccl::Failure;
using emulator::nccl::Group;
using emulator::nccl::grouped;
using emulator::nccl::guarded;
using emulator::nccl::Handles;

namespace {

ncclResult_t collective(Call call, ncclComm_t comm, cudaStream_t stream) {
  return grouped([&](Group& group) {
    auto communicator = Handles::get().find(comm);
    auto operation = communicator->prepare(call);
    group.add(std::move(communicator), std::move(operation), stream);
  });
}

/// A collective that reduces.
ncclResult_t reducing(Call call, ncclRedOp_t operation, ncclComm_t comm, cudaStream_t stream) {
  return grouped([&](Group& group) {
    auto communicator = Handles::get().find(comm);
    call.reduction.operation = operation;
    if (operation < 0 || operation >= ncclNumOps) {
      const auto custom = communicator->custom_reduction(operation);
      call.reduction = {.operation = ncclSum, .scaled = true, .scalar = custom.scalar};
      call.device_scalar = custom.device_scalar;
    }
    auto prepared = communicator->prepare(call);
    group.add(std::move(communicator), std::move(prepared), stream);
  });
}

ncclResult_t message(bool sends, const void* buffer, std::size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                     cudaStream_t stream) {
  return grouped([&](Group& group) {
    auto communicator = Handles::get().find(comm);
    const auto prepared = communicator->prepare(sends, buffer, count, type, peer);
    group.add(std::move(communicator), prepared, stream);
  });
}

Call call_of(Collective kind, const void* send, void* receive, std::size_t count, ncclDataType_t type, int root = 0) {
  Call call;
  call.collective = kind;
  call.send = send;
  call.receive = receive;
  call.count = count;
  call.type = type;
  call.root = root;
  return call;
}

}  // namespace

extern "C" {

ncclResult_t ncclAllReduce(const void* sendbuff, void* recvbuff, size_t count, ncclDataType_t datatype, ncclRedOp_t op,
                           ncclComm_t comm, cudaStream_t stream) {
  return reducing(call_of(Collective::all_reduce, sendbuff, recvbuff, count, datatype), op, comm, stream);
}

ncclResult_t ncclReduce(const void* sendbuff, void* recvbuff, size_t count, ncclDataType_t datatype, ncclRedOp_t op,
                        int root, ncclComm_t comm, cudaStream_t stream) {
  return reducing(call_of(Collective::reduce, sendbuff, recvbuff, count, datatype, root), op, comm, stream);
}

ncclResult_t ncclReduceScatter(const void* sendbuff, void* recvbuff, size_t recvcount, ncclDataType_t datatype,
                               ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream) {
  return reducing(call_of(Collective::reduce_scatter, sendbuff, recvbuff, recvcount, datatype), op, comm, stream);
}

ncclResult_t ncclAllGather(const void* sendbuff, void* recvbuff, size_t sendcount, ncclDataType_t datatype,
                           ncclComm_t comm, cudaStream_t stream) {
  return collective(call_of(Collective::all_gather, sendbuff, recvbuff, sendcount, datatype), comm, stream);
}

ncclResult_t ncclBroadcast(const void* sendbuff, void* recvbuff, size_t count, ncclDataType_t datatype, int root,
                           ncclComm_t comm, cudaStream_t stream) {
  return collective(call_of(Collective::broadcast, sendbuff, recvbuff, count, datatype, root), comm, stream);
}

ncclResult_t ncclBcast(void* buff, size_t count, ncclDataType_t datatype, int root, ncclComm_t comm,
                       cudaStream_t stream) {
  return collective(call_of(Collective::broadcast, buff, buff, count, datatype, root), comm, stream);
}

ncclResult_t ncclAlltoAll(const void* sendbuff, void* recvbuff, size_t count, ncclDataType_t datatype, ncclComm_t comm,
                          cudaStream_t stream) {
  return collective(call_of(Collective::all_to_all, sendbuff, recvbuff, count, datatype), comm, stream);
}

ncclResult_t ncclGather(const void* sendbuff, void* recvbuff, size_t count, ncclDataType_t datatype, int root,
                        ncclComm_t comm, cudaStream_t stream) {
  return collective(call_of(Collective::gather, sendbuff, recvbuff, count, datatype, root), comm, stream);
}

ncclResult_t ncclScatter(const void* sendbuff, void* recvbuff, size_t count, ncclDataType_t datatype, int root,
                         ncclComm_t comm, cudaStream_t stream) {
  return collective(call_of(Collective::scatter, sendbuff, recvbuff, count, datatype, root), comm, stream);
}

ncclResult_t ncclSend(const void* sendbuff, size_t count, ncclDataType_t datatype, int peer, ncclComm_t comm,
                      cudaStream_t stream) {
  return message(true, sendbuff, count, datatype, peer, comm, stream);
}

ncclResult_t ncclRecv(void* recvbuff, size_t count, ncclDataType_t datatype, int peer, ncclComm_t comm,
                      cudaStream_t stream) {
  return message(false, recvbuff, count, datatype, peer, comm, stream);
}

ncclResult_t ncclGroupStart() {
  Group::of_this_thread().start();
  return ncclSuccess;
}

ncclResult_t ncclGroupEnd() {
  return guarded([] {
    auto& group = Group::of_this_thread();
    group.end();
    return !group.open() && group.later() ? ncclInProgress : ncclSuccess;
  });
}

}  // extern "C"
