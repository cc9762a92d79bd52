#pragma once

#include <vector>

#include "tests/emulator/nccl/communicator.hpp"

namespace emulator::nccl {

/// One execution of a group of sends and receives of this rank, which progress together. A message ends at
/// max(starts of both sides) + max(time that each side needs for everything in its group); the group with its last
/// message.
class MessageRun {
 public:
  MessageRun(Communicator& communicator, const std::vector<Message>& messages)
      : communicator_(&communicator), messages_(&messages) {}
  double run(double start);

 private:
  /// How far one message has come.
  struct Progress {
    const Message* message;
    std::vector<Window> windows;
    std::size_t packed_bytes = 0, done = 0;
    bool first = true, ended = false;
  };
  [[nodiscard]] double seconds(double start) const;
  [[nodiscard]] std::vector<Progress> begin() const;
  bool advance(std::vector<Progress>& all, double start, double own);
  bool send_piece(Progress& progress, double start, double own);
  bool receive_piece(Progress& progress, double start, double own);
  void end(Progress& progress, double peer_start, double peer_seconds, double start, double own);
  void ring(int peer) const;
  void report_mismatch(const Message& message, std::uint64_t theirs) const;

  Communicator* communicator_;
  const std::vector<Message>* messages_;
  double last_ = 0;
};

/// Segments on this rank's side of its messages.
std::vector<int> segments_of(const std::vector<Message>& messages, const Shape& shape, int rank);

}  // namespace emulator::nccl
