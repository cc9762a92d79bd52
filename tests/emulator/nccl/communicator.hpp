#pragma once

#include <cuda_runtime_api.h>
#include <nccl.h>

#include <atomic>
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
  };
  explicit Communicator(Identity identity);
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  /// Finds the other ranks. Blocks until all have come. Throws Failure, Aborted.
  void connect();
  /// The same in a thread; asynchronous_error() tells when it is done.
  void connect_later();
  /// New communicators of the ranks with equal color, ordered by key; nullptr without a color. Blocks like connect.
  std::shared_ptr<Communicator> split(int color, int key, bool blocking, const std::string& function);

  /// Puts a collective into the stream. Throws Failure for calls that NCCL refuses at once.
  void enqueue(const Call& call, cudaStream_t stream);
  /// Puts messages into the stream that progress together.
  void enqueue(std::vector<Message> messages, cudaStream_t stream);

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
  void check_duplicates() const;
  void look_for_dead_peers();
  const Plan& plan(Collective collective, Algorithm algorithm, int root);
  Operation prepare(const Call& call);
  [[nodiscard]] Estimate choose(const Call& call, double bytes);
  [[nodiscard]] const Place& place() const { return places_[static_cast<std::size_t>(identity_.rank)]; }
  /// The way of a fault that stops this rank before an operation of this name.
  void meet_faults(const std::string& name);

  Identity identity_;
  Settings settings_;
  std::unique_ptr<Area> area_;
  std::vector<Place> places_;
  Shape shape_;
  std::uint64_t tag_ = 0;  ///< For logs: a number in the place of an address.

  std::atomic<bool> aborted_{false}, finalizing_{false};
  std::atomic<int> state_{ncclInProgress};
  std::mutex error_mutex_;
  std::string error_text_;
  int splits_ = 0;

  std::shared_ptr<Order> order_ = std::make_shared<Order>();
  std::mutex plans_mutex_;
  std::map<std::tuple<Collective, Algorithm, int>, Plan> plans_;
  // Of the operation that runs; guarded by its turn.
  std::uint64_t sequence_ = 0, message_groups_ = 0;
  double last_end_ = 0;
  std::atomic<int> dead_peer_{-1};
};

}  // namespace emulator::nccl
