#pragma once

// The only header that includes mpi.h: for the sources of collectives/mpi and their tests.

#include <mpi.h>

#include <cstddef>
#include <source_location>

#include "core/group.hpp"

namespace assay {

namespace mpi {

[[noreturn]] void fail(int code, const char* call, const std::source_location& where);

/// Throws Error(environment) unless `code` is MPI_SUCCESS: the call, MPI's reason, file and line.
inline void check(int code, const char* call, const std::source_location& where = std::source_location::current()) {
  if (code != MPI_SUCCESS) [[unlikely]]
    fail(code, call, where);
}

/// Owns a communicator; its errors are returned, not fatal.
class Communicator {
 public:
  /// Takes over `handle`, which is not a predefined communicator.
  explicit Communicator(MPI_Comm handle);
  Communicator(Communicator&& other) noexcept;
  Communicator& operator=(Communicator&& other) noexcept;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  ~Communicator();

  [[nodiscard]] static Communicator duplicate(MPI_Comm parent);
  [[nodiscard]] MPI_Comm get() const { return handle_; }

 private:
  MPI_Comm handle_ = MPI_COMM_NULL;
};

}  // namespace mpi

/// Ranks of an MPI communicator. Agreed values (max, min, sum) are the same bits on every rank: computed once and
/// broadcast. Every failure of MPI is an Error(environment).
class MpiGroup final : public Group {
 public:
  /// `message_limit`: data beyond it travels in several messages, since MPI counts in int.
  explicit MpiGroup(mpi::Communicator communicator, std::size_t message_limit = std::size_t{1} << 30);

  [[nodiscard]] MPI_Comm communicator() const { return communicator_.get(); }

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return size_; }
  void barrier() override;
  void quiet_barrier() override;
  void broadcast(std::span<std::byte> data, int root) override;
  void max_in_place(std::span<double> values) override;
  void min_in_place(std::span<double> values) override;
  void sum_in_place(std::span<double> values) override;
  [[nodiscard]] std::vector<std::vector<std::byte>> gather(std::span<const std::byte> mine, int root) override;
  [[nodiscard]] std::unique_ptr<Group> split(int color) override;

 private:
  void reduce_in_place(std::span<double> values, MPI_Op operation);

  mpi::Communicator communicator_;
  std::size_t message_limit_;
  int rank_ = 0;
  int size_ = 0;
};

namespace mpi {

/// The communicator behind `group`; throws Error(environment) when the group is not an MpiGroup.
[[nodiscard]] MPI_Comm communicator(const Group& group);

}  // namespace mpi

}  // namespace assay
