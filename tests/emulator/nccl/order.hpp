#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>

namespace emulator::nccl {

/// Keeps the operations of one communicator in the order in which this process called them, on whatever streams they
/// are, and knows how many have not ended.
class Order {
 public:
  /// A place in the order; given back when the last owner drops it, whether or not the operation ran.
  class Ticket {
   public:
    Ticket(std::shared_ptr<Order> order, std::uint64_t number) : order_(std::move(order)), number_(number) {}
    ~Ticket() { order_->done(number_); }
    Ticket(const Ticket&) = delete;
    Ticket& operator=(const Ticket&) = delete;
    [[nodiscard]] std::uint64_t number() const { return number_; }

   private:
    std::shared_ptr<Order> order_;
    std::uint64_t number_;
  };
  static std::shared_ptr<Ticket> take(const std::shared_ptr<Order>& order);

  /// Holds the communicator while one operation runs. A ticket waits for those before it; none (an operation that a
  /// graph launches) only for the one that runs. Throws Aborted.
  class Turn {
   public:
    Turn(Order& order, const Ticket* ticket, const std::atomic<bool>& aborted);
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    Order* order_;
  };

  /// Operations with a ticket that have not ended.
  [[nodiscard]] std::uint64_t pending();
  /// Waits until there are none, or the communicator is aborted.
  void drain(const std::atomic<bool>& aborted);
  /// Lets those who wait look whether they are aborted.
  void wake();

 private:
  void done(std::uint64_t number);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t issued_ = 0, next_ = 0;  ///< Tickets given out; the lowest that is not done.
  std::set<std::uint64_t> done_early_;
  bool busy_ = false;
};

}  // namespace emulator::nccl
