#include "tests/emulator/cuda/contention.hpp"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "tests/emulator/model/noise.hpp"
#include "tests/emulator/model/routes.hpp"
#include "tests/emulator/model/shared_area.hpp"

namespace emulator {
namespace {

/// One stream's use of one resource. Times are wall time [ns], which all processes of a machine share.
struct Slot {
  std::atomic<std::uint64_t> owner;
  std::atomic<std::int64_t> since, done;
  std::atomic<std::int32_t> pending;
};

constexpr std::size_t slots_per_resource = 64;
/// A slot that was idle for so long [ns] may be taken over: streams come and go.
constexpr std::int64_t stale = 3'000'000'000;

struct Row {
  Slot slots[slots_per_resource];
};

std::int64_t now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

int slots_of_cards() {
  std::size_t most = 0;
  for (const Node& node : Cluster::current().nodes()) most = std::max(most, node.gpus.size());
  return static_cast<int>(most);
}

class Table {
 public:
  Table() : rows_(count()), mapping_("contention", rows_ * sizeof(Row)) {}

  [[nodiscard]] Row* row(int resource) const {
    if (resource < 0 || static_cast<std::size_t>(resource) >= rows_) return nullptr;
    return static_cast<Row*>(mapping_.data()) + resource;
  }

 private:
  static std::size_t count() {
    return static_cast<std::size_t>(resource_count()) +
           Cluster::current().nodes().size() * static_cast<std::size_t>(slots_of_cards());
  }
  std::size_t rows_;
  SharedMapping mapping_;
};

const Table& table() {
  static const auto made = std::make_unique<Table>().release();  // threads may use it while the process ends
  return *made;
}

std::uint64_t key(const Stream& stream) {
  static const auto process = static_cast<std::uint64_t>(getpid()) << 24;
  return process | (stream.id & 0xffffff);
}

Slot* find(Row& row, std::uint64_t owner) {
  const auto found =
      std::find_if(std::begin(row.slots), std::end(row.slots), [&](const Slot& slot) { return slot.owner == owner; });
  return found == std::end(row.slots) ? nullptr : found;
}

Slot* take(Row& row, std::uint64_t owner) {
  if (Slot* own = find(row, owner)) return own;
  const std::int64_t time = now();
  for (Slot& slot : row.slots) {
    std::uint64_t before = slot.owner;
    if (before != 0 && (slot.pending > 0 || time - slot.done < stale)) continue;
    if (slot.owner.compare_exchange_strong(before, owner)) {
      slot.done = 0;
      return &slot;
    }
  }
  return nullptr;  // 63 others at once: one more makes no difference
}

}  // namespace

void announce(const Stream& stream, const std::vector<int>& resources) {
  for (const int resource : resources) {
    Row* row = table().row(resource);
    Slot* slot = row == nullptr ? nullptr : take(*row, key(stream));
    if (slot == nullptr) continue;
    if (slot->pending == 0) slot->since = now();
    ++slot->pending;
  }
}

void retract(const Stream& stream, const std::vector<int>& resources) {
  for (const int resource : resources) {
    Row* row = table().row(resource);
    Slot* slot = row == nullptr ? nullptr : find(*row, key(stream));
    if (slot == nullptr) continue;
    slot->done = now();
    --slot->pending;
  }
}

int sharers(const Stream& stream, int resource) {
  Row* row = table().row(resource);
  if (row == nullptr) return 1;
  const Slot* own = find(*row, key(stream));
  const std::int64_t since = own == nullptr ? now() : own->since.load();
  int count = 1;
  for (const Slot& slot : row->slots) {
    if (slot.owner == 0) break;
    if (&slot != own && (slot.pending > 0 || slot.done >= since)) ++count;
  }
  return count;
}

double shared_rate(const Stream& stream, double bytes_per_second, const std::vector<int>& resources) {
  double rate = bytes_per_second;
  for (const int resource : resources) {
    if (resource < resource_count()) rate = std::min(rate, capacity(resource) / sharers(stream, resource));
  }
  return rate;
}

int multiprocessors(const Gpu& gpu) { return resource_count() + gpu.node * slots_of_cards() + gpu.index; }

}  // namespace emulator
