#include "tests/emulator/nccl/group.hpp"

#include <algorithm>
#include <exception>
#include <thread>

namespace emulator::nccl {
namespace {

/// The default stream is that of the current device.
class OnDevice {
 public:
  explicit OnDevice(int device) {
    cudaGetDevice(&before_);
    if (device != before_) cudaSetDevice(device);
  }
  ~OnDevice() { cudaSetDevice(before_); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  int before_ = 0;
};

}  // namespace

Group& Group::of_this_thread() {
  static thread_local Group group;
  return group;
}

void Group::add(std::shared_ptr<Communicator> communicator, Operation operation, cudaStream_t stream) {
  operations_.push_back({{std::move(communicator), stream}, std::move(operation)});
}

void Group::add(std::shared_ptr<Communicator> communicator, Message message, cudaStream_t stream) {
  const Where where{std::move(communicator), stream};
  const auto same = std::ranges::find(messages_, where, &Messages::where);
  if (same != messages_.end()) {
    same->messages.push_back(message);
  } else {
    messages_.push_back({where, {message}});
  }
}

void Group::add_start(std::shared_ptr<Communicator> communicator) { starts_.push_back(std::move(communicator)); }

void Group::end() {
  if (depth_ == 0) throw Failure(ncclInvalidUsage, "ncclGroupEnd: not in a group call.");
  if (--depth_ > 0) return;
  Group all = std::exchange(*this, Group{});
  if (all.failure_) throw *all.failure_;
  all.connect_all();
  all.submit_all();
  later_ = all.later_;
}

void Group::connect_all() {
  std::vector<std::thread> threads;
  std::vector<std::exception_ptr> errors(starts_.size());
  for (std::size_t i = 0; i < starts_.size(); ++i) {
    if (!starts_[i]->identity().blocking) {
      later_ = true;
      starts_[i]->connect_later();
      continue;
    }
    const auto connect = [this, &errors, i] {
      try {
        starts_[i]->connect();
      } catch (...) {
        errors[i] = std::current_exception();
      }
    };
    starts_.size() == 1 ? connect() : static_cast<void>(threads.emplace_back(connect));
  }
  for (auto& thread : threads) thread.join();
  for (const auto& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

void Group::submit_all() {
  for (const auto& [where, operation] : operations_) {
    const OnDevice device(where.communicator->identity().device);
    where.communicator->submit(operation, where.stream);
    later_ = later_ || !where.communicator->identity().blocking;
  }
  for (const auto& [where, messages] : messages_) {
    const OnDevice device(where.communicator->identity().device);
    where.communicator->submit(messages, where.stream);
    later_ = later_ || !where.communicator->identity().blocking;
  }
}

}  // namespace emulator::nccl
