#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

#include "core/error.hpp"
#include "storage/io_engine.hpp"
#include "storage/scratch_file.hpp"

namespace assay {
namespace {

struct Transfer {
  int slot = 0;
  IoOp op = IoOp::read;
  std::uint64_t offset = 0;
};

class ThreadEngine final : public IoEngine {
 public:
  explicit ThreadEngine(const IoTarget& target) : target_(target) {
    try {
      for (int i = 0; i < target.depth; ++i) {
        workers_.emplace_back([this](const std::stop_token& stop) { work(stop); });
      }
    } catch (const std::system_error& error) {
      throw environment_error(std::string("cannot start a thread for each slot of the I/O queue: ") + error.what(),
                              "raise the limit on processes (ulimit -u)");
    }
  }

  [[nodiscard]] std::string_view name() const override { return "threads"; }

  void queue(int slot, IoOp op, std::uint64_t offset) override {
    lined_up_.push_back({slot, op, offset});
    ++in_flight_;
  }

  void start() override {
    if (lined_up_.empty()) return;
    const std::lock_guard lock(mutex_);
    to_do_.insert(to_do_.end(), lined_up_.begin(), lined_up_.end());
    if (lined_up_.size() == 1) {
      work_there_.notify_one();
    } else {
      work_there_.notify_all();
    }
    lined_up_.clear();
  }

  std::span<const int> wait(int minimum) override {
    start();
    const auto wanted = static_cast<std::size_t>(std::min(minimum, in_flight_));
    std::unique_lock lock(mutex_);
    finished_.wait(lock, [&] { return failure_ || done_.size() >= wanted; });
    if (failure_) std::rethrow_exception(failure_);
    completed_.clear();
    completed_.swap(done_);
    in_flight_ -= static_cast<int>(completed_.size());
    return completed_;
  }

  [[nodiscard]] int in_flight() const override { return in_flight_; }

 private:
  void work(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (work_there_.wait(lock, stop, [&] { return !to_do_.empty(); })) {
      const Transfer transfer = to_do_.front();
      to_do_.pop_front();
      lock.unlock();
      std::exception_ptr failure;
      try {
        carry_out(transfer);
      } catch (...) {
        failure = std::current_exception();
      }
      lock.lock();
      done_.push_back(transfer.slot);
      if (failure && !failure_) failure_ = failure;
      finished_.notify_one();
    }
  }

  void carry_out(const Transfer& transfer) const {
    const std::size_t bytes = target_.block_bytes;
    const auto block = target_.memory.subspan(static_cast<std::size_t>(transfer.slot) * bytes, bytes);
    if (transfer.op == IoOp::read) {
      read_fully(target_.descriptor, target_.path, block, transfer.offset);
    } else {
      write_fully(target_.descriptor, target_.path, block, transfer.offset);
    }
  }

  IoTarget target_;
  std::vector<Transfer> lined_up_;
  std::vector<int> completed_;
  int in_flight_ = 0;

  std::mutex mutex_;
  std::condition_variable_any work_there_;
  std::condition_variable finished_;
  std::deque<Transfer> to_do_;         // guarded by mutex_
  std::vector<int> done_;              // guarded by mutex_
  std::exception_ptr failure_;         // guarded by mutex_
  std::vector<std::jthread> workers_;  // last: stopped and joined before the rest goes
};

}  // namespace

std::unique_ptr<IoEngine> make_thread_engine(const IoTarget& target) { return std::make_unique<ThreadEngine>(target); }

}  // namespace assay
