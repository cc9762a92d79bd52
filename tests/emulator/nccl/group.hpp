#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "tests/emulator/nccl/communicator.hpp"
#include "tests/emulator/nccl/failure.hpp"

namespace emulator::nccl {

/// The calls of one thread between ncclGroupStart and ncclGroupEnd; a call outside is a group of its own.
class Group {
 public:
  static Group& of_this_thread();

  void start() { ++depth_; }
  /// Carries out what was gathered, at the outermost end: new communicators side by side, collectives in the order of
  /// the calls, then the messages of each stream as one. Throws the first failure of the group.
  void end();
  [[nodiscard]] bool open() const { return depth_ > 0; }

  void add(std::shared_ptr<Communicator> communicator, Operation operation, cudaStream_t stream);
  void add(std::shared_ptr<Communicator> communicator, Message message, cudaStream_t stream);
  void add_start(std::shared_ptr<Communicator> communicator);
  /// A call that failed: the whole group does.
  void add(const Failure& failure) { failure_ = failure_ ? failure_ : failure; }
  /// Some communicator of the group does not block: its result comes later.
  [[nodiscard]] bool later() const { return later_; }

 private:
  struct Where {
    std::shared_ptr<Communicator> communicator;
    cudaStream_t stream = nullptr;
    bool operator==(const Where&) const = default;
  };
  struct Collected {
    Where where;
    Operation operation;
  };
  struct Messages {
    Where where;
    std::vector<Message> messages;
  };
  void connect_all();
  void submit_all();

  int depth_ = 0;
  bool later_ = false;
  std::vector<std::shared_ptr<Communicator>> starts_;
  std::vector<Collected> operations_;
  std::vector<Messages> messages_;
  std::optional<Failure> failure_;
};

}  // namespace emulator::nccl
