#include "tests/emulator/nccl/communicator.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <thread>

#include "tests/emulator/cuda/engine.hpp"
#include "tests/emulator/model/noise.hpp"
#include "tests/emulator/nccl/failure.hpp"
#include "tests/emulator/nccl/faults.hpp"
#include "tests/emulator/nccl/last_error.hpp"
#include "tests/emulator/nccl/report.hpp"

namespace emulator::nccl {
namespace {

/// Communicators of the same cards are told apart by how many there were before.
std::uint64_t next_of(std::uint64_t members) {
  static std::mutex mutex;
  static std::map<std::uint64_t, std::uint64_t> counts;
  const std::lock_guard lock(mutex);
  return mix(members, counts[members]++);
}

}  // namespace

Communicator::Communicator(Identity identity) : identity_(std::move(identity)) {
  tag_ = mix(std::hash<std::string>{}(identity_.area), static_cast<std::uint64_t>(identity_.rank));
}

Communicator::~Communicator() {
  if (area_) area_->leave(identity_.rank);
}

void Communicator::meet_hosts(const std::function<void()>& last) {
  meet(area_->host_barrier(), identity_.ranks, aborted_, last, [this] { look_for_dead_peers(); });
}

void Communicator::introduce() {
  area_ = std::make_unique<Area>(identity_.area, identity_.ranks);
  std::uint32_t none = 0;
  const auto mine = static_cast<std::uint32_t>(identity_.ranks);
  if (!area_->declared_ranks().compare_exchange_strong(none, mine) && none != mine) {
    area_.reset();
    throw Failure(ncclInvalidUsage, fmt::format("{} ranks here, but {} elsewhere with the same id", mine, none));
  }
  auto& member = area_->member(identity_.rank);
  if (member.present.exchange(1) != 0) {
    area_.reset();
    throw Failure(ncclInvalidUsage, fmt::format("rank {} is there twice", identity_.rank));
  }
  member.pid = ::getpid();
  member.node = identity_.gpu->node;
  member.gpu = identity_.gpu->index;
  member.device = identity_.device;
  ::gethostname(member.host.data(), member.host.size() - 1);
  published_ = area_.get();
}

void Communicator::check_duplicates() const {
  for (int i = 0; i < identity_.ranks; ++i) {
    for (int j = 0; j < i; ++j) {
      if (places_[static_cast<std::size_t>(i)] != places_[static_cast<std::size_t>(j)]) continue;
      throw Failure(ncclInvalidUsage,
                    fmt::format("Duplicate GPU detected : rank {} and rank {} both on CUDA device {}", i, j,
                                bus_id(gpu_at(Cluster::current(), places_[static_cast<std::size_t>(i)]))));
    }
  }
}

void Communicator::look_around() {
  std::uint64_t members = 0;
  for (int rank = 0; rank < identity_.ranks; ++rank) {
    const auto& member = area_->member(rank);
    places_.push_back({member.node, member.gpu});
    members = mix(members, mix(static_cast<std::uint64_t>(member.node), static_cast<std::uint64_t>(member.gpu)));
  }
  check_duplicates();
  const auto key = next_of(members);
  meet_hosts([&] { area_->noise_key() = key; });
  shape_ = describe(Cluster::current(), places_, settings_);
}

void Communicator::connect() {
  try {
    settings_ = Settings::from_environment();
  } catch (const std::invalid_argument& error) {
    throw Failure(ncclInvalidUsage, error.what());
  }
  if (identity_.split) {
    const bool takes_part = identity_.split->color >= 0;
    become_part();
    if (!takes_part) return;
  }
  report_start(*this);
  introduce();
  meet_hosts();
  look_around();
  report_connections(*this);
  meet_hosts();
  advance_host(20e-3);
  state_ = ncclSuccess;
}

void Communicator::connect_later() {
  std::thread([self = shared_from_this()] {
    try {
      self->connect();
    } catch (const Failure& failure) {
      self->fail_later(failure.code(), failure.what());
      self->state_ = failure.code();
    } catch (const Aborted&) {
      self->state_ = ncclInternalError;
    }
  }).detach();
}

/// Tells the others color and key, and finds out what they want. All ranks of this communicator take part.
void Communicator::exchange_colors(Identity& child, const std::atomic<bool>& aborted) {
  auto& me = area_->member(identity_.rank);
  const auto [parent, color, key] = *child.split;
  const auto look = [this] {
    if (aborted_) throw Aborted{};
    look_for_dead_peers();
  };
  me.color = color;
  me.key = key;
  meet(area_->host_barrier(), identity_.ranks, aborted, {}, look);
  child.area = fmt::format("{}.{}.{}", identity_.area, splits_++, color);
  child.ranks = child.rank = 0;
  for (int rank = 0; rank < identity_.ranks; ++rank) {
    const auto& other = area_->member(rank);
    if (other.color != color) continue;
    ++child.ranks;
    if (std::pair(other.key, rank) < std::pair(key, identity_.rank)) ++child.rank;
  }
  meet(area_->host_barrier(), identity_.ranks, aborted, {}, look);  // from here on colors may be written anew
}

void Communicator::become_part() {
  const auto parent = identity_.split->parent;
  parent->exchange_colors(identity_, aborted_);
  identity_.split.reset();
  tag_ = mix(std::hash<std::string>{}(identity_.area), static_cast<std::uint64_t>(identity_.rank));
}

void Communicator::abort() {
  aborted_ = true;
  order_->wake();
  Area* const area = published_;
  if (area == nullptr) return;
  wake_all(area->host_barrier().generation);
  wake_all(area->stream_barrier().generation);
  wake_all(area->member(identity_.rank).bell);
}

void Communicator::drain() { order_->drain(aborted_); }

void Communicator::finalize() {
  expect_ready();
  finalizing_ = true;
  if (identity_.blocking) drain();
}

ncclResult_t Communicator::asynchronous_error() {
  const auto state = static_cast<ncclResult_t>(state_.load());
  if (state != ncclSuccess) return state;
  if (device_state() != cudaSuccess) return ncclUnhandledCudaError;
  return finalizing_ && order_->pending() > 0 ? ncclInProgress : ncclSuccess;
}

void Communicator::fail_later(ncclResult_t code, const std::string& text) {
  {
    const std::lock_guard lock(mutex_);
    error_text_ = text;
  }
  LastError::get().set(text);
  if (state_ == ncclSuccess) state_ = code;
}

std::string Communicator::last_error() {
  const std::lock_guard lock(mutex_);
  return error_text_;
}

void Communicator::expect_ready() {
  const auto state = static_cast<ncclResult_t>(state_.load());
  if (state == ncclSuccess) return;
  if (state == ncclInProgress) {
    throw Failure(ncclInvalidArgument,
                  "Attempt to use communicator before the previous operation returned ncclSuccess");
  }
  throw Failure(state, fmt::format("the communicator has failed: {}", last_error()));
}

ncclRedOp_t Communicator::add_reduction(const CustomReduction& reduction) {
  const std::lock_guard lock(mutex_);
  reductions_[next_reduction_] = reduction;
  return static_cast<ncclRedOp_t>(next_reduction_++);
}

void Communicator::remove_reduction(ncclRedOp_t operation) {
  const std::lock_guard lock(mutex_);
  if (reductions_.erase(static_cast<int>(operation)) == 0) {
    throw Failure(ncclInvalidArgument, "ncclRedOpDestroy : not an operation of this communicator");
  }
}

CustomReduction Communicator::custom_reduction(ncclRedOp_t operation) {
  const std::lock_guard lock(mutex_);
  const auto found = reductions_.find(static_cast<int>(operation));
  if (found == reductions_.end()) {
    throw Failure(ncclInvalidArgument, fmt::format("invalid reduction operation {}", static_cast<int>(operation)));
  }
  return found->second;
}

void Communicator::look_for_dead_peers() {
  if (dead_peer_ >= 0 || !area_) return;
  for (int rank = 0; rank < identity_.ranks; ++rank) {
    const auto& member = area_->member(rank);
    if (member.present == 0 || member.gone != 0 || member.pid <= 0) continue;
    if (::kill(member.pid, 0) == 0 || errno != ESRCH) continue;
    dead_peer_ = rank;
    fail_later(ncclRemoteError,
               fmt::format("the process of rank {} (node {}, GPU {}) has ended", rank, member.node, member.gpu));
    return;
  }
}

void Communicator::meet_faults(const std::string& name) {
  const Gpu& gpu = *identity_.gpu;
  if (gpu.faults.empty()) return;
  if (strikes(gpu, FaultKind::crash, name)) ::raise(SIGKILL);
  if (!strikes(gpu, FaultKind::hang, name)) return;
  std::atomic<std::uint32_t> never{0};
  while (!aborted_) sleep_while(never, 0, std::chrono::milliseconds(50));
  throw Aborted{};
}

}  // namespace emulator::nccl
