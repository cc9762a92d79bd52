#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "tests/emulator/model/shared_area.hpp"
#include "tests/emulator/nccl/futex.hpp"

namespace emulator::nccl {

/// Thrown out of a wait when the waiting rank aborts its communicator.
struct Aborted {};

/// What a rank tells the others about itself.
struct Member {
  std::atomic<std::uint32_t> present, gone;
  std::int32_t pid, node, gpu, device;
  std::int32_t color, key;          ///< Of the split under way.
  std::atomic<std::uint32_t> bell;  ///< Rung when one of its mailboxes changes.
  std::array<char, 64> host;
};

/// What a rank brings to a collective besides its data.
struct Posting {
  double start;  ///< Virtual [s]
  std::uint64_t sequence, count;
  std::int32_t collective, type, operation, root;
  double scalar;
  std::array<std::uint8_t, 32> users;  ///< Of the segments that it announced, itself included.
};

/// What came of a collective: written by the last to arrive.
struct Verdict {
  double start, end;
  std::int32_t differs;  ///< A rank whose call does not match rank 0's; -1 = none.
};

struct Barrier {
  std::atomic<std::uint32_t> arrived, generation;
};

/// One message at a time from one rank to another, in pieces. `sent` and `taken` count the pieces of all messages.
struct Mailbox {
  std::atomic<std::uint32_t> sent, taken;
  std::uint64_t send_bytes, receive_bytes;
  std::uint32_t piece_bytes;
  double send_start, send_seconds, receive_start, receive_seconds;
  std::int32_t send_type, receive_type;
};

/// Memory that the ranks of one communicator share, in a file of the state directory.
class Area {
 public:
  static constexpr std::size_t stage_bytes = std::size_t{4} << 20, small_bytes = std::size_t{64} << 10,
                               piece_bytes = std::size_t{256} << 10;

  Area(const std::string& name, int ranks);

  [[nodiscard]] int ranks() const { return ranks_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  /// Set by the first to come; all others must have the same number.
  [[nodiscard]] std::atomic<std::uint32_t>& declared_ranks() const { return header().ranks; }
  [[nodiscard]] Barrier& host_barrier() const { return header().host; }
  [[nodiscard]] Barrier& stream_barrier() const { return header().stream; }
  [[nodiscard]] Verdict& verdict() const { return header().verdict; }
  [[nodiscard]] std::uint64_t& noise_key() const { return header().noise_key; }
  [[nodiscard]] Member& member(int rank) const;
  [[nodiscard]] Posting& posting(int rank) const;
  [[nodiscard]] Mailbox& mailbox(int from, int to) const;
  [[nodiscard]] std::byte* mailbox_data(int from, int to) const;
  /// Room for what a rank brings to a collective, and for the result of a reduction.
  [[nodiscard]] std::byte* stage(int rank) const;
  [[nodiscard]] std::byte* small_stage(int rank, int parity) const;
  [[nodiscard]] std::byte* result() const;
  /// The last rank that leaves removes the file.
  void leave(int rank);

 private:
  struct Header {
    std::atomic<std::uint32_t> ranks, left;
    Barrier host, stream;
    Verdict verdict;
    std::uint64_t noise_key;
  };
  struct Layout {
    std::size_t members, postings, mailboxes, result, stages, pieces, total;
  };
  static Layout layout(std::size_t ranks);
  [[nodiscard]] Header& header() const { return *reinterpret_cast<Header*>(base()); }
  [[nodiscard]] std::byte* base() const { return static_cast<std::byte*>(mapping_.data()); }

  std::string name_;
  int ranks_;
  Layout layout_;
  SharedMapping mapping_;
};

/// Waits until all ranks have come; the last one runs `last` before anyone goes on. Throws Aborted; then, or when a
/// rank stays away, the barrier is of no use any more. `idle` is called about once a second.
void meet(Barrier& barrier, int ranks, const std::atomic<bool>& aborted, const std::function<void()>& last = {},
          const std::function<void()>& idle = {});

}  // namespace emulator::nccl
