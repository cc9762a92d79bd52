#include "tests/emulator/nccl/area.hpp"

#include <filesystem>
#include <system_error>

#include "tests/emulator/model/environment.hpp"

namespace emulator::nccl {
namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t pages(std::size_t bytes) { return (bytes + page - 1) / page * page; }
constexpr std::size_t stage_stride = Area::stage_bytes + 2 * Area::small_bytes;
constexpr std::chrono::milliseconds nap{1000};

}  // namespace

Area::Layout Area::layout(std::size_t ranks) {
  Layout layout{};
  layout.members = pages(sizeof(Header));
  layout.postings = layout.members + pages(ranks * sizeof(Member));
  layout.mailboxes = layout.postings + pages(ranks * sizeof(Posting));
  layout.result = layout.mailboxes + pages(ranks * ranks * sizeof(Mailbox));
  layout.stages = layout.result + stage_bytes;
  layout.pieces = layout.stages + ranks * stage_stride;
  layout.total = layout.pieces + ranks * ranks * piece_bytes;
  return layout;
}

Area::Area(const std::string& name, int ranks)
    : name_(name), ranks_(ranks), layout_(layout(static_cast<std::size_t>(ranks))), mapping_(name, layout_.total) {}

Member& Area::member(int rank) const { return reinterpret_cast<Member*>(base() + layout_.members)[rank]; }
Posting& Area::posting(int rank) const { return reinterpret_cast<Posting*>(base() + layout_.postings)[rank]; }
Mailbox& Area::mailbox(int from, int to) const {
  return reinterpret_cast<Mailbox*>(base() + layout_.mailboxes)[from * ranks_ + to];
}
std::byte* Area::mailbox_data(int from, int to) const {
  return base() + layout_.pieces + static_cast<std::size_t>(from * ranks_ + to) * piece_bytes;
}
std::byte* Area::stage(int rank) const {
  return base() + layout_.stages + static_cast<std::size_t>(rank) * stage_stride;
}
std::byte* Area::small_stage(int rank, int parity) const {
  return stage(rank) + stage_bytes + static_cast<std::size_t>(parity) * small_bytes;
}
std::byte* Area::result() const { return base() + layout_.result; }

void Area::leave(int rank) {
  if (member(rank).gone.exchange(1) != 0) return;
  if (header().left.fetch_add(1) + 1 < static_cast<std::uint32_t>(ranks_)) return;
  std::error_code error;
  std::filesystem::remove(state_directory() / name_, error);
}

void meet(Barrier& barrier, int ranks, const std::atomic<bool>& aborted, const std::function<void()>& last,
          const std::function<void()>& idle) {
  if (aborted) throw Aborted{};
  const auto generation = barrier.generation.load();
  if (barrier.arrived.fetch_add(1) + 1 == static_cast<std::uint32_t>(ranks)) {
    if (last) last();
    barrier.arrived.store(0);
    barrier.generation.fetch_add(1);
    wake_all(barrier.generation);
    return;
  }
  while (barrier.generation.load() == generation) {
    if (aborted) throw Aborted{};
    sleep_while(barrier.generation, generation, nap);
    if (idle && barrier.generation.load() == generation) idle();
  }
}

}  // namespace emulator::nccl
