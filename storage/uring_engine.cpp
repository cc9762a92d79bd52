#include <liburing.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <system_error>

#include "core/error.hpp"
#include "storage/io_engine.hpp"
#include "storage/scratch_file.hpp"

namespace assay {
namespace {

/// Owner of an io_uring.
class Ring {
 public:
  /// Negative errno in `result` when the kernel refuses.
  Ring(unsigned entries, int& result) {
    // Completions are handled when this thread asks for them (kernel 6.1), or at least without interrupting it (5.19);
    // older kernels do without. Completing 4 KiB writes one by one costs a tenth of the rate.
    constexpr unsigned deferred = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_TASKRUN_FLAG;
    constexpr unsigned cooperative = IORING_SETUP_COOP_TASKRUN | IORING_SETUP_TASKRUN_FLAG;
    for (const unsigned flags : {deferred, cooperative, 0U}) {
      result = io_uring_queue_init(entries, &ring_, flags);
      if (result != -EINVAL) break;
    }
    made_ = result == 0;
  }
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;
  ~Ring() {
    if (made_) io_uring_queue_exit(&ring_);
  }
  [[nodiscard]] io_uring* get() { return &ring_; }

 private:
  io_uring ring_{};
  bool made_ = false;
};

struct Transfer {
  IoOp op = IoOp::read;
  std::uint64_t offset = 0;
  std::size_t done = 0;
};

class UringEngine final : public IoEngine {
 public:
  explicit UringEngine(const IoTarget& target)
      : target_(target), ring_(static_cast<unsigned>(target.depth), setup_result_) {
    if (setup_result_ < 0) throw storage_error("cannot set up io_uring", target_.path, -setup_result_);
    transfers_.resize(static_cast<std::size_t>(target.depth));
    completed_.reserve(transfers_.size());
    // Only saves time, and a small memlock limit refuses it.
    const iovec memory{target_.memory.data(), target_.memory.size()};
    registered_ = io_uring_register_buffers(ring_.get(), &memory, 1) == 0;
  }
  UringEngine(const UringEngine&) = delete;
  UringEngine& operator=(const UringEngine&) = delete;
  ~UringEngine() override {
    while (in_flight_ > 0 && enter(1)) reap();
  }

  [[nodiscard]] std::string_view name() const override { return "io_uring"; }

  void queue(int slot, IoOp op, std::uint64_t offset) override {
    transfers_[static_cast<std::size_t>(slot)] = {op, offset, 0};
    ++in_flight_;
    prepare(slot);
  }

  void start() override {
    if (!enter(0)) throw_failure();
  }

  std::span<const int> wait(int minimum) override {
    completed_.clear();
    const int wanted = std::min(minimum, in_flight_);
    do {
      if (!enter(wanted - static_cast<int>(completed_.size()))) break;
      reap();
    } while (!failure_ && static_cast<int>(completed_.size()) < wanted);
    if (failure_) throw_failure();
    return completed_;
  }

  [[nodiscard]] int in_flight() const override { return in_flight_; }

 private:
  void prepare(int slot) {
    const Transfer& transfer = transfers_[static_cast<std::size_t>(slot)];
    io_uring_sqe* entry = io_uring_get_sqe(ring_.get());
    std::byte* memory = target_.memory.data() + static_cast<std::size_t>(slot) * target_.block_bytes + transfer.done;
    const auto bytes = static_cast<unsigned>(target_.block_bytes - transfer.done);
    const std::uint64_t offset = transfer.offset + transfer.done;
    const int file = target_.descriptor;
    if (registered_ && transfer.op == IoOp::read) {
      io_uring_prep_read_fixed(entry, file, memory, bytes, offset, 0);
    } else if (registered_) {
      io_uring_prep_write_fixed(entry, file, memory, bytes, offset, 0);
    } else if (transfer.op == IoOp::read) {
      io_uring_prep_read(entry, file, memory, bytes, offset);
    } else {
      io_uring_prep_write(entry, file, memory, bytes, offset);
    }
    io_uring_sqe_set_data64(entry, static_cast<std::uint64_t>(slot));
  }

  /// Hands new entries to the kernel and waits for `minimum` completions; false, with failure_ set, when that fails.
  bool enter(int minimum) {
    for (;;) {
      const int result = io_uring_submit_and_wait(ring_.get(), static_cast<unsigned>(std::max(0, minimum)));
      if (result >= 0) return true;
      if (result == -EINTR || result == -EAGAIN || result == -EBUSY) continue;
      failure_ = storage_error("io_uring refuses work", target_.path, -result);
      return false;
    }
  }

  void reap() {
    io_uring_cqe* entry = nullptr;
    while (io_uring_peek_cqe(ring_.get(), &entry) == 0) {
      const auto slot = static_cast<int>(io_uring_cqe_get_data64(entry));
      const int result = entry->res;
      io_uring_cqe_seen(ring_.get(), entry);
      finish(slot, result);
    }
  }

  void finish(int slot, int result) {
    Transfer& transfer = transfers_[static_cast<std::size_t>(slot)];
    if (result > 0) transfer.done += static_cast<std::size_t>(result);
    const bool again = result == -EINTR || result == -EAGAIN || (result > 0 && transfer.done < target_.block_bytes);
    if (again && !failure_) return prepare(slot);
    --in_flight_;
    if (result > 0 && !again) return completed_.push_back(slot);
    if (failure_) return;
    const std::string_view action = transfer.op == IoOp::read ? "cannot read" : "cannot write";
    failure_ = result < 0                  ? storage_error(action, target_.path, -result)
               : transfer.op == IoOp::read ? unexpected_end(target_.path, transfer.offset + transfer.done)
                                           : storage_error(action, target_.path, ENOSPC);
  }

  [[noreturn]] void throw_failure() const { throw Error(*failure_); }

  IoTarget target_;
  int setup_result_ = 0;
  Ring ring_;
  bool registered_ = false;
  int in_flight_ = 0;
  std::vector<Transfer> transfers_;
  std::vector<int> completed_;
  std::optional<Error> failure_;
};

}  // namespace

std::string why_no_uring() {
  int result = 0;
  const Ring probe(1, result);
  return result < 0 ? std::generic_category().message(-result) : std::string();
}

std::unique_ptr<IoEngine> make_uring_engine(const IoTarget& target) { return std::make_unique<UringEngine>(target); }

}  // namespace assay
