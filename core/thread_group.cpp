#include "core/thread_group.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <exception>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"

namespace assay {
namespace {

/// What all threads of one run share. One lock for everything: groups of threads are for tests, not for speed.
struct Run {
  explicit Run(int size) : left(static_cast<std::size_t>(size)) {}

  std::mutex mutex;
  std::condition_variable changed;
  std::vector<bool> left;            ///< by world rank: its body has returned
  std::exception_ptr first_failure;  ///< ends every wait

  void fail(std::exception_ptr failure) {
    const std::lock_guard lock(mutex);
    if (!first_failure) first_failure = std::move(failure);
    changed.notify_all();
  }

  void leave(int world_rank) {
    const std::lock_guard lock(mutex);
    left[static_cast<std::size_t>(world_rank)] = true;
    changed.notify_all();
  }
};

/// What a rank brings to a collective operation.
struct Call {
  std::string_view operation;
  int argument = 0;  ///< root or colour
  std::span<const std::byte> data;
};

/// The place where the ranks of one group meet.
struct Meeting {
  explicit Meeting(std::vector<int> ranks) : world_ranks(std::move(ranks)), calls(world_ranks.size()) {}

  std::vector<int> world_ranks;
  std::vector<Call> calls;                          ///< by rank of the group
  std::vector<std::shared_ptr<Meeting>> subgroups;  ///< of the split in progress, by rank of the group
  std::size_t arrived = 0;
  std::uint64_t round = 0;
};

class ThreadGroup final : public Group {
 public:
  ThreadGroup(Run& run, std::shared_ptr<Meeting> meeting, int rank)
      : run_(run), meeting_(std::move(meeting)), rank_(rank) {}

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return static_cast<int>(meeting_->calls.size()); }

  void barrier() override { enter({"barrier", 0, {}}); }
  void quiet_barrier() override { enter({"quiet_barrier", 0, {}}); }

  void broadcast(std::span<std::byte> data, int root) override {
    enter({"broadcast", checked_root(root), data});
    require_same_argument();
    require_same_length();
    if (rank_ != root && !data.empty()) std::memcpy(data.data(), call(root).data.data(), data.size());
    leave_together();
  }

  void max_in_place(std::span<double> values) override {
    reduce("max_in_place", values, [](double a, double b) { return std::max(a, b); });
  }
  void min_in_place(std::span<double> values) override {
    reduce("min_in_place", values, [](double a, double b) { return std::min(a, b); });
  }
  void sum_in_place(std::span<double> values) override {
    reduce("sum_in_place", values, [](double a, double b) { return a + b; });
  }

  [[nodiscard]] std::vector<std::vector<std::byte>> gather(std::span<const std::byte> mine, int root) override {
    enter({"gather", checked_root(root), mine});
    require_same_argument();
    std::vector<std::vector<std::byte>> result;
    if (rank_ == root) {
      for (const Call& other : meeting_->calls) result.emplace_back(other.data.begin(), other.data.end());
    }
    leave_together();
    return result;
  }

  [[nodiscard]] std::unique_ptr<Group> split(int color) override {
    enter({"split", color, {}});
    if (rank_ == 0) form_subgroups();
    leave_together();
    const auto subgroup = meeting_->subgroups[static_cast<std::size_t>(rank_)];
    leave_together();
    if (color < 0) return nullptr;
    const auto place = std::find(subgroup->world_ranks.begin(), subgroup->world_ranks.end(), world_rank());
    return std::make_unique<ThreadGroup>(run_, subgroup, static_cast<int>(place - subgroup->world_ranks.begin()));
  }

 private:
  [[nodiscard]] const Call& call(int rank) const { return meeting_->calls[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] int world_rank() const { return meeting_->world_ranks[static_cast<std::size_t>(rank_)]; }

  /// Shows what this rank brings and returns when all have come, with the same operation.
  void enter(const Call& mine) {
    meeting_->calls[static_cast<std::size_t>(rank_)] = mine;
    wait_for_all();
    for (int rank = 0; rank < size(); ++rank) {
      if (call(rank).operation != mine.operation) {
        throw environment_error(
            fmt::format("rank {} called {}, rank {} called {}", rank_, mine.operation, rank, call(rank).operation));
      }
    }
    // Nobody may show the next call before all have compared this one.
    wait_for_all();
  }

  /// Waits for the others; throws when one failed or will never come. Then nobody passes: what this rank showed, the
  /// others do not touch.
  void wait_for_all() {
    std::unique_lock lock(run_.mutex);
    int missing = -1;
    const std::uint64_t round = meeting_->round;
    const auto decided = [&] {
      missing = first_left();
      return meeting_->round != round || run_.first_failure || missing >= 0;
    };
    arrive();
    run_.changed.wait(lock, decided);
    if (meeting_->round != round) return;
    --meeting_->arrived;
    if (run_.first_failure) throw environment_error(fmt::format("rank {}: another rank failed", world_rank()));
    throw environment_error(fmt::format("rank {} waits for rank {}, which has returned", world_rank(), missing));
  }

  /// Waits until the others no longer read what this rank showed. They are past enter(), so they will come.
  void leave_together() {
    std::unique_lock lock(run_.mutex);
    const std::uint64_t round = meeting_->round;
    arrive();
    run_.changed.wait(lock, [&] { return meeting_->round != round; });
  }

  void arrive() {
    if (++meeting_->arrived < meeting_->calls.size()) return;
    meeting_->arrived = 0;
    ++meeting_->round;
    run_.changed.notify_all();
  }

  /// The first member whose body has returned, so that it will never come; -1 when none.
  [[nodiscard]] int first_left() const {
    for (const int rank : meeting_->world_ranks) {
      if (run_.left[static_cast<std::size_t>(rank)]) return rank;
    }
    return -1;
  }

  template <class Combine>
  void reduce(std::string_view operation, std::span<double> values, Combine combine) {
    enter({operation, 0, std::as_bytes(values)});
    require_same_length();
    std::vector<double> result;
    for (const Call& other : meeting_->calls) {
      const auto* theirs = reinterpret_cast<const double*>(other.data.data());
      if (result.empty()) {
        result.assign(theirs, theirs + values.size());
      } else {
        std::transform(result.begin(), result.end(), theirs, result.begin(), combine);
      }
    }
    leave_together();
    std::copy(result.begin(), result.end(), values.begin());
  }

  void form_subgroups() {
    meeting_->subgroups.assign(meeting_->calls.size(), nullptr);
    for (std::size_t first = 0; first < meeting_->calls.size(); ++first) {
      if (meeting_->subgroups[first] || meeting_->calls[first].argument < 0) continue;
      std::vector<std::size_t> members;
      std::vector<int> world_ranks;
      for (std::size_t rank = first; rank < meeting_->calls.size(); ++rank) {
        if (meeting_->calls[rank].argument != meeting_->calls[first].argument) continue;
        members.push_back(rank);
        world_ranks.push_back(meeting_->world_ranks[rank]);
      }
      const auto subgroup = std::make_shared<Meeting>(std::move(world_ranks));
      for (const std::size_t rank : members) meeting_->subgroups[rank] = subgroup;
    }
  }

  [[nodiscard]] int checked_root(int root) const {
    if (root < 0 || root >= size()) throw environment_error(fmt::format("root {} in a group of {}", root, size()));
    return root;
  }

  void require_same_argument() const {
    for (int rank = 0; rank < size(); ++rank) {
      if (call(rank).argument == call(rank_).argument) continue;
      throw environment_error(fmt::format("{}: rank {} names root {}, rank {} names root {}", call(rank).operation,
                                          rank_, call(rank_).argument, rank, call(rank).argument));
    }
  }

  void require_same_length() const {
    for (int rank = 0; rank < size(); ++rank) {
      if (call(rank).data.size() == call(rank_).data.size()) continue;
      throw environment_error(fmt::format("{}: rank {} brings {} bytes, rank {} brings {}", call(rank).operation, rank_,
                                          call(rank_).data.size(), rank, call(rank).data.size()));
    }
  }

  Run& run_;
  std::shared_ptr<Meeting> meeting_;
  int rank_;
};

}  // namespace

void run_thread_group(int size, const std::function<void(Group&)>& body) {
  if (size < 1) throw environment_error(fmt::format("a group of {} ranks", size));
  Run run(size);
  std::vector<int> ranks;
  for (int rank = 0; rank < size; ++rank) ranks.push_back(rank);
  const auto world = std::make_shared<Meeting>(std::move(ranks));
  {
    std::vector<std::jthread> threads;
    const auto work = [&](int rank) {
      try {
        ThreadGroup group(run, world, rank);
        body(group);
        run.leave(rank);
      } catch (...) {
        run.fail(std::current_exception());
      }
    };
    try {
      for (int rank = 0; rank < size; ++rank) threads.emplace_back(work, rank);
    } catch (...) {
      run.fail(std::current_exception());  // no more threads to be had: the others must not wait for them
    }
  }
  if (run.first_failure) std::rethrow_exception(run.first_failure);
}

}  // namespace assay
