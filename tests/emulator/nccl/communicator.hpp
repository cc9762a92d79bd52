#pragma once

#include <cuda_runtime_api.h>
#include <nccl.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "tests/emulator/nccl/area.hpp"
#include "tests/emulator/nccl/describe.hpp"
#include "tests/emulator/nccl/operation.hpp"
#include "tests/emulator/nccl/order.hpp"

namespace emulator::nccl {

class Communicator;

/// The part of a communicator that a new one is made of: the ranks with equal color, ordered by key.
struct Split {
  std::shared_ptr<Communicator> parent;
  int color = 0, key = 0;
};

/// A reduction that the application made: sum of scalar * x.
struct CustomReduction {
  double scalar = 1;
  const void* device_scalar = nullptr;  ///< Where it lies, when the device is to read it.
};

/// One rank's side of a communicator. Kept alive by its handle and by work in streams.
class Communicator : public std::enable_shared_from_this<Communicator> {
 public:
  struct Identity {
    std::string area;  ///< Name of the shared memory; the same for all ranks, and for nobody else.
    int ranks = 1, rank = 0;
    int device = 0;
    const Gpu* gpu = nullptr;
    bool blocking = true;
    std::string function = "ncclCommInitRank";
    std::optional<Split> split;  ///< Gives area, ranks and rank.
  };
  explicit Communicator(Identity identity);
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  /// Finds the other ranks. Blocks until all have come. Throws Failure, Aborted.
  void connect();
  /// The same in a thread; asynchronous_error() tells when it is done.
  void connect_later();

  /// Takes a call: checks it, looks up its buffers as the current device sees them, chooses algorithm and protocol.
  /// Throws Failure for what NCCL refuses at once.
  Operation prepare(const Call& call);
  Message prepare(bool sends, const void* buffer, std::size_t count, ncclDataType_t type, int peer);
  /// Puts it into the stream; messages of one call progress together.
  void submit(const Operation& operation, cudaStream_t stream);
  void submit(const std::vector<Message>& messages, cudaStream_t stream);

  ncclRedOp_t add_reduction(const CustomReduction& reduction);
  void remove_reduction(ncclRedOp_t operation);
  CustomReduction custom_reduction(ncclRedOp_t operation);

  void abort();
  /// Waits for what this process has enqueued.
  void drain();
  void finalize();
  [[nodiscard]] ncclResult_t asynchronous_error();
  void fail_later(ncclResult_t code, const std::string& text);
  [[nodiscard]] std::string last_error();
  /// Throws Failure unless operations may be enqueued.
  void expect_ready();

  [[nodiscard]] const Identity& identity() const { return identity_; }
  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] const Settings& settings() const { return settings_; }
  [[nodiscard]] const std::vector<Place>& places() const { return places_; }
  [[nodiscard]] std::uint64_t tag() const { return tag_; }

 private:
  friend class CollectiveRun;
  friend class MessageRun;

  void meet_hosts(const std::function<void()>& last = {});
  void introduce();
  void look_around();
  void become_part();
  void exchange_colors(Identity& child, const std::atomic<bool>& aborted);
  void check_duplicates() const;
  void look_for_dead_peers();
  const Plan& plan(Collective collective, Algorithm algorithm, int root);
  Operation choose(const Call& call);
  [[nodiscard]] Estimate estimate(const Call& call, double bytes);
  void put(cudaStream_t stream, const std::string& name, std::vector<int> resources,
           std::function<double(Communicator&, double)> body);
  /// Gives others that enqueue at the same time a moment to announce what they share with this communicator.
  void settle() const;
  /// Lets happen what a fault has planned for an operation of this name on this card. Throws Aborted.
  void meet_faults(const std::string& name);

  Identity identity_;
  Settings settings_;
  std::unique_ptr<Area> area_;
  std::atomic<Area*> published_{nullptr};  ///< area_, for whoever aborts
  std::vector<Place> places_;
  Shape shape_;
  std::uint64_t tag_ = 0;  ///< For logs: a number in the place of an address.

  std::atomic<bool> aborted_{false}, finalizing_{false};
  std::atomic<int> state_{ncclInProgress}, dead_peer_{-1};
  std::mutex mutex_;  ///< Of what follows.
  std::string error_text_;
  std::map<std::tuple<Collective, Algorithm, int>, Plan> plans_;
  std::map<int, CustomReduction> reductions_;
  int next_reduction_ = ncclNumOps, splits_ = 0;
  std::atomic<std::uint64_t> calls_{0};

  std::shared_ptr<Order> order_ = std::make_shared<Order>();
  // Of the operation that runs; guarded by its turn.
  std::uint64_t sequence_ = 0, message_groups_ = 0;
  double last_end_ = 0;
  std::chrono::steady_clock::time_point last_run_{};
};

}  // namespace emulator::nccl
