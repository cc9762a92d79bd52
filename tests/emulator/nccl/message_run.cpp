#include "tests/emulator/nccl/message_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "tests/emulator/cuda/engine.hpp"
#include "tests/emulator/model/noise.hpp"
#include "tests/emulator/model/state.hpp"
#include "tests/emulator/nccl/collective_run.hpp"
#include "tests/emulator/nccl/exchange.hpp"

namespace emulator::nccl {
namespace {

constexpr std::chrono::milliseconds nap{1000};

const std::vector<int>& own_side(const Message& message, const Shape& shape, int rank) {
  return message.sends ? shape.hop(rank, message.peer).out : shape.hop(message.peer, rank).in;
}

const Hop& way(const Message& message, const Shape& shape, int rank) {
  return message.sends ? shape.hop(rank, message.peer) : shape.hop(message.peer, rank);
}

}  // namespace

std::vector<int> segments_of(const std::vector<Message>& messages, const Shape& shape, int rank) {
  std::set<int> segments;
  for (const auto& message : messages) {
    const auto& side = own_side(message, shape, rank);
    segments.insert(side.begin(), side.end());
  }
  return {segments.begin(), segments.end()};
}

/// What this rank's side needs for all its messages together.
double MessageRun::seconds(double start) const {
  const auto& c = *communicator_;
  if (Cluster::current().zero_time()) return 0;
  std::map<int, double> busy;
  double latency = 0, local = 0;
  for (const auto& message : *messages_) {
    const Hop& hop = way(message, c.shape_, c.identity_.rank);
    latency = std::max(latency, message_latency(hop));
    if (hop.medium == Medium::self && message.sends) local += 2 * static_cast<double>(message.bytes);
    for (const int index : own_side(message, c.shape_, c.identity_.rank)) {
      const auto& segment = c.shape_.segments[static_cast<std::size_t>(index)];
      busy[index] += static_cast<double>(message.bytes) * message_load(hop, segment);
    }
  }
  double longest = local > 0 ? memory_seconds(*c.identity_.gpu, live_state(*c.identity_.gpu), local) : 0;
  for (auto& [index, seconds] : busy) {
    const auto& segment = c.shape_.segments[static_cast<std::size_t>(index)];
    if (segment.resource >= 0) seconds *= std::max(1, sharers(segment.resource));
    if (segment.nic >= 0) {
      for (const auto& nic : Cluster::current().nodes().at(static_cast<std::size_t>(segment.node)).nics) {
        if (nic.slot == segment.nic) seconds /= std::max(0.01, share_left(nic, start, seconds));
      }
    }
    longest = std::max(longest, seconds);
  }
  const double per_message = 0.3e-6 * static_cast<double>(messages_->size() - 1);
  const auto event =
      mix(mix(c.area_->noise_key(), c.message_groups_), 0x9e3 + static_cast<std::uint64_t>(c.identity_.rank));
  return (latency + per_message + longest) * jitter(*c.identity_.gpu, event);
}

std::vector<MessageRun::Progress> MessageRun::begin() const {
  std::vector<Progress> all;
  for (const auto& message : *messages_) {
    Progress progress{.message = &message, .windows = windows(message.bytes, Cluster::current().seed())};
    for (const auto& window : progress.windows) progress.packed_bytes += window.bytes;
    all.push_back(std::move(progress));
  }
  return all;
}

double MessageRun::run(double start) {
  auto& c = *communicator_;
  start = std::max(start, c.last_end_);
  last_ = start;
  const double own = seconds(start);
  ++c.message_groups_;
  auto all = begin();
  auto& bell = c.area_->member(c.identity_.rank).bell;
  for (;;) {
    const auto rung = bell.load();
    if (c.aborted_) throw Aborted{};
    const bool moved = advance(all, start, own);
    if (std::ranges::all_of(all, &Progress::ended)) break;
    if (moved) continue;
    sleep_while(bell, rung, nap);
    if (bell.load() == rung) c.look_for_dead_peers();
  }
  c.last_end_ = last_;
  account(*c.identity_.gpu, {.kind = Load::Kind::copy}, last_ - start);
  return last_;
}

/// Moves whatever can be moved. Messages to or from the same peer keep their order.
bool MessageRun::advance(std::vector<Progress>& all, double start, double own) {
  bool moved = false;
  std::set<std::pair<bool, int>> blocked;
  for (auto& progress : all) {
    if (progress.ended) continue;
    const std::pair lane{progress.message->sends, progress.message->peer};
    if (blocked.contains(lane)) continue;
    if (progress.message->sends ? send_piece(progress, start, own) : receive_piece(progress, start, own)) moved = true;
    if (!progress.ended) blocked.insert(lane);
  }
  return moved;
}

bool MessageRun::send_piece(Progress& progress, double start, double own) {
  const auto& c = *communicator_;
  const Message& message = *progress.message;
  Mailbox& box = c.area_->mailbox(c.identity_.rank, message.peer);
  if (box.sent.load() != box.taken.load()) return false;  // the piece before has not been taken
  if (!progress.first && progress.done >= progress.packed_bytes) {
    if (box.receive_bytes != message.bytes) report_mismatch(message, box.receive_bytes);
    end(progress, box.receive_start, box.receive_seconds, start, own);
    return true;
  }
  const std::size_t bytes = std::min(Area::piece_bytes, progress.packed_bytes - progress.done);
  gather_windows(message.data, progress.windows, progress.done, bytes,
                 c.area_->mailbox_data(c.identity_.rank, message.peer));
  box.send_bytes = message.bytes;
  box.send_type = message.type;
  box.send_start = start;
  box.send_seconds = own;
  box.piece_bytes = static_cast<std::uint32_t>(bytes);
  progress.done += bytes;
  progress.first = false;
  box.sent.fetch_add(1);
  ring(message.peer);
  return true;
}

bool MessageRun::receive_piece(Progress& progress, double start, double own) {
  const auto& c = *communicator_;
  const Message& message = *progress.message;
  Mailbox& box = c.area_->mailbox(message.peer, c.identity_.rank);
  if (box.sent.load() == box.taken.load()) return false;
  if (progress.first && box.send_bytes != message.bytes) report_mismatch(message, box.send_bytes);
  const std::size_t room = progress.packed_bytes - progress.done;
  if (box.send_bytes == message.bytes) {
    scatter_windows(c.area_->mailbox_data(message.peer, c.identity_.rank), progress.windows, progress.done,
                    std::min<std::size_t>(box.piece_bytes, room), message.data);
  }
  box.receive_bytes = message.bytes;
  box.receive_start = start;
  box.receive_seconds = own;
  progress.first = false;
  progress.done += box.piece_bytes;
  const double peer_start = box.send_start, peer_seconds = box.send_seconds;
  std::size_t sent = 0;
  for (const auto& window : windows(box.send_bytes, Cluster::current().seed())) sent += window.bytes;
  box.taken.fetch_add(1);
  ring(message.peer);
  if (progress.done >= sent) end(progress, peer_start, peer_seconds, start, own);
  return true;
}

void MessageRun::end(Progress& progress, double peer_start, double peer_seconds, double start, double own) {
  progress.ended = true;
  last_ = std::max(last_, std::max(start, peer_start) + std::max(own, peer_seconds));
}

void MessageRun::ring(int peer) const {
  auto& bell = communicator_->area_->member(peer).bell;
  bell.fetch_add(1);
  wake_all(bell);
}

void MessageRun::report_mismatch(const Message& message, std::uint64_t theirs) const {
  const int me = communicator_->identity_.rank, from = message.sends ? me : message.peer,
            to = message.sends ? message.peer : me;
  communicator_->fail_later(ncclInvalidUsage, fmt::format("rank {} sends {} bytes to rank {}, which receives {}", from,
                                                          message.sends ? message.bytes : theirs, to,
                                                          message.sends ? theirs : message.bytes));
}

}  // namespace emulator::nccl
