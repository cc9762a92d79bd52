#include "tests/emulator/nccl/order.hpp"

#include "tests/emulator/nccl/area.hpp"

namespace emulator::nccl {

std::shared_ptr<Order::Ticket> Order::take(const std::shared_ptr<Order>& order) {
  const std::lock_guard lock(order->mutex_);
  return std::make_shared<Ticket>(order, order->issued_++);
}

Order::Turn::Turn(Order& order, const Ticket* ticket, const std::atomic<bool>& aborted) : order_(&order) {
  std::unique_lock lock(order.mutex_);
  order.changed_.wait(
      lock, [&] { return aborted || (!order.busy_ && (ticket == nullptr || order.next_ == ticket->number())); });
  if (aborted) throw Aborted{};
  order.busy_ = true;
}

Order::Turn::~Turn() {
  {
    const std::lock_guard lock(order_->mutex_);
    order_->busy_ = false;
  }
  order_->changed_.notify_all();
}

std::uint64_t Order::pending() {
  const std::lock_guard lock(mutex_);
  return issued_ - next_ - done_early_.size();
}

void Order::drain(const std::atomic<bool>& aborted) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return aborted || issued_ == next_; });
}

void Order::wake() {
  const std::lock_guard lock(mutex_);
  changed_.notify_all();
}

void Order::done(std::uint64_t number) {
  {
    const std::lock_guard lock(mutex_);
    done_early_.insert(number);
    while (done_early_.erase(next_) > 0) ++next_;
  }
  changed_.notify_all();
}

}  // namespace emulator::nccl
