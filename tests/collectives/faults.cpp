#include "tests/collectives/faults.hpp"

#include <mpi.h>

#include <cstddef>
#include <vector>

namespace assay {

namespace {

Fault planted = Fault::none;

bool nothing_moves() { return planted == Fault::nothing_moves; }

/// What this rank gives to a sum of `count` elements: nothing at all, when it is the one that goes missing.
const void* given(const void* send, int count, MPI_Datatype type, MPI_Comm comm, std::vector<std::byte>& zeros) {
  int rank = 0;
  int size = 0;
  int bytes = 0;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &size);
  if (planted != Fault::last_rank_missing || rank != size - 1) return send;
  PMPI_Type_size(type, &bytes);
  zeros.assign(static_cast<std::size_t>(count) * static_cast<std::size_t>(bytes), std::byte{0});
  return zeros.data();
}

void change(void* received) {
  if (planted == Fault::late_change) *static_cast<std::byte*>(received) ^= std::byte{0x10};
}

}  // namespace

Planted::Planted(Fault fault) { planted = fault; }
Planted::~Planted() { planted = Fault::none; }

}  // namespace assay

using assay::change;
using assay::given;
using assay::nothing_moves;

extern "C" {

int MPI_Allreduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op operation, MPI_Comm comm) {
  if (nothing_moves()) return MPI_SUCCESS;
  std::vector<std::byte> zeros;
  const int code = PMPI_Allreduce(given(send, count, type, comm, zeros), receive, count, type, operation, comm);
  change(receive);
  return code;
}

int MPI_Reduce_scatter_block(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op operation,
                             MPI_Comm comm) {
  if (nothing_moves()) return MPI_SUCCESS;
  int size = 0;
  PMPI_Comm_size(comm, &size);
  std::vector<std::byte> zeros;
  const void* mine = given(send, count * size, type, comm, zeros);
  const int code = PMPI_Reduce_scatter_block(mine, receive, count, type, operation, comm);
  change(receive);
  return code;
}

int MPI_Allgather(const void* send, int send_count, MPI_Datatype send_type, void* receive, int receive_count,
                  MPI_Datatype receive_type, MPI_Comm comm) {
  if (nothing_moves()) return MPI_SUCCESS;
  const int code = PMPI_Allgather(send, send_count, send_type, receive, receive_count, receive_type, comm);
  change(receive);
  return code;
}

int MPI_Alltoall(const void* send, int send_count, MPI_Datatype send_type, void* receive, int receive_count,
                 MPI_Datatype receive_type, MPI_Comm comm) {
  if (nothing_moves()) return MPI_SUCCESS;
  const int code = PMPI_Alltoall(send, send_count, send_type, receive, receive_count, receive_type, comm);
  change(receive);
  return code;
}

int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  if (nothing_moves()) return MPI_SUCCESS;
  const int code = PMPI_Bcast(buffer, count, type, root, comm);
  change(buffer);
  return code;
}

int MPI_Send(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  return nothing_moves() ? MPI_SUCCESS : PMPI_Send(buffer, count, type, to, tag, comm);
}

int MPI_Recv(void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* status) {
  if (nothing_moves()) return MPI_SUCCESS;
  const int code = PMPI_Recv(buffer, count, type, from, tag, comm, status);
  change(buffer);
  return code;
}

int MPI_Isend(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
  if (!nothing_moves()) return PMPI_Isend(buffer, count, type, to, tag, comm, request);
  *request = MPI_REQUEST_NULL;
  return MPI_SUCCESS;
}

int MPI_Irecv(void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request) {
  if (!nothing_moves()) return PMPI_Irecv(buffer, count, type, from, tag, comm, request);
  *request = MPI_REQUEST_NULL;
  return MPI_SUCCESS;
}

}  // extern "C"
