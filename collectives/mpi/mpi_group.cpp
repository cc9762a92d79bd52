#include "collectives/mpi/mpi_group.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <thread>
#include <utility>

#include "core/error.hpp"

namespace assay {

namespace mpi {

void fail(int code, const char* call, const std::source_location& where) {
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  const bool known = MPI_Error_string(code, text.data(), &length) == MPI_SUCCESS;
  const std::string reason = known ? std::string(text.data(), static_cast<std::size_t>(length)) : "unknown error";
  throw environment_error(
      fmt::format("{} failed: {} (code {}, {}:{})", call, reason, code, where.file_name(), where.line()),
      "check that all ranks and the network between their hosts are alive");
}

Communicator::Communicator(MPI_Comm handle) : handle_(handle) {
  check(MPI_Comm_set_errhandler(handle_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
}

Communicator::Communicator(Communicator&& other) noexcept : handle_(std::exchange(other.handle_, MPI_COMM_NULL)) {}

Communicator& Communicator::operator=(Communicator&& other) noexcept {
  std::swap(handle_, other.handle_);
  return *this;
}

Communicator::~Communicator() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (handle_ != MPI_COMM_NULL && finalized == 0) MPI_Comm_free(&handle_);
}

Communicator Communicator::duplicate(MPI_Comm parent) {
  MPI_Comm copy = MPI_COMM_NULL;
  check(MPI_Comm_dup(parent, &copy), "MPI_Comm_dup");
  return Communicator(copy);
}

MPI_Comm communicator(const Group& group) {
  const auto* mpi_group = dynamic_cast<const MpiGroup*>(&group);
  if (mpi_group == nullptr) {
    throw environment_error("a case of collectives/mpi was given a group that is not an MPI communicator",
                            "run it through `assay run`, which starts MPI");
  }
  return mpi_group->communicator();
}

namespace {

constexpr int gather_tag = 1;
constexpr std::chrono::microseconds poll_interval{100};

/// Calls `visit(part)` for consecutive parts of at most `limit` elements.
template <class T, class Visit>
void in_parts(std::span<T> data, std::size_t limit, Visit visit) {
  while (!data.empty()) {
    const std::size_t length = std::min(data.size(), limit);
    visit(data.first(length));
    data = data.subspan(length);
  }
}

template <class T>
int count_of(std::span<T> part) {
  return static_cast<int>(part.size());
}

}  // namespace

}  // namespace mpi

using mpi::check;
using mpi::count_of;
using mpi::in_parts;

MpiGroup::MpiGroup(mpi::Communicator communicator, std::size_t message_limit)
    : communicator_(std::move(communicator)), message_limit_(message_limit) {
  check(MPI_Comm_rank(communicator_.get(), &rank_), "MPI_Comm_rank");
  check(MPI_Comm_size(communicator_.get(), &size_), "MPI_Comm_size");
}

void MpiGroup::barrier() { check(MPI_Barrier(communicator_.get()), "MPI_Barrier"); }

void MpiGroup::quiet_barrier() {
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Ibarrier(communicator_.get(), &request), "MPI_Ibarrier");
  int done = 0;
  check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
  while (done == 0) {
    std::this_thread::sleep_for(mpi::poll_interval);
    check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
  }
}

void MpiGroup::broadcast(std::span<std::byte> data, int root) {
  in_parts(data, message_limit_, [&](std::span<std::byte> part) {
    check(MPI_Bcast(part.data(), count_of(part), MPI_BYTE, root, communicator_.get()), "MPI_Bcast");
  });
}

void MpiGroup::reduce_in_place(std::span<double> values, MPI_Op operation) {
  // MPI_Allreduce may add in another order on another rank; a decision taken from its result could differ.
  const MPI_Comm comm = communicator_.get();
  in_parts(values, std::max<std::size_t>(1, message_limit_ / sizeof(double)), [&](std::span<double> part) {
    const void* mine = rank_ == 0 ? MPI_IN_PLACE : part.data();
    double* result = rank_ == 0 ? part.data() : nullptr;
    check(MPI_Reduce(mine, result, count_of(part), MPI_DOUBLE, operation, 0, comm), "MPI_Reduce");
  });
  broadcast(std::as_writable_bytes(values), 0);
}

void MpiGroup::max_in_place(std::span<double> values) { reduce_in_place(values, MPI_MAX); }
void MpiGroup::min_in_place(std::span<double> values) { reduce_in_place(values, MPI_MIN); }
void MpiGroup::sum_in_place(std::span<double> values) { reduce_in_place(values, MPI_SUM); }

std::vector<std::vector<std::byte>> MpiGroup::gather(std::span<const std::byte> mine, int root) {
  const MPI_Comm comm = communicator_.get();
  const bool here = rank_ == root;
  const std::uint64_t length = mine.size();
  std::vector<std::uint64_t> lengths(here ? static_cast<std::size_t>(size_) : 0);
  check(MPI_Gather(&length, 1, MPI_UINT64_T, lengths.data(), 1, MPI_UINT64_T, root, comm), "MPI_Gather");
  if (!here) {
    in_parts(mine, message_limit_, [&](std::span<const std::byte> part) {
      check(MPI_Send(part.data(), count_of(part), MPI_BYTE, root, mpi::gather_tag, comm), "MPI_Send");
    });
    return {};
  }
  std::vector<std::vector<std::byte>> all(lengths.size());
  for (int source = 0; source < size_; ++source) {
    auto& theirs = all[static_cast<std::size_t>(source)];
    theirs.resize(lengths[static_cast<std::size_t>(source)]);
    if (source == root) {
      std::ranges::copy(mine, theirs.begin());
      continue;
    }
    in_parts(std::span(theirs), message_limit_, [&](std::span<std::byte> part) {
      check(MPI_Recv(part.data(), count_of(part), MPI_BYTE, source, mpi::gather_tag, comm, MPI_STATUS_IGNORE),
            "MPI_Recv");
    });
  }
  return all;
}

std::unique_ptr<Group> MpiGroup::split(int color) {
  MPI_Comm part = MPI_COMM_NULL;
  check(MPI_Comm_split(communicator_.get(), color < 0 ? MPI_UNDEFINED : color, rank_, &part), "MPI_Comm_split");
  if (part == MPI_COMM_NULL) return nullptr;
  return std::make_unique<MpiGroup>(mpi::Communicator(part), message_limit_);
}

}  // namespace assay
