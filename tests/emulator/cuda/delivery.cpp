#include "tests/emulator/cuda/delivery.hpp"

#include <algorithm>
#include <cstring>

#include "tests/emulator/model/cluster.hpp"

namespace emulator {
namespace {

/// More than this is handed over early: only the check for a missing synchronise suffers.
constexpr std::size_t most_held_bytes = std::size_t{64} << 20;

}  // namespace

void Frontier::raise(std::uint64_t stream, std::uint64_t count) {
  for (auto& [known, value] : entries_) {
    if (known == stream) {
      value = std::max(value, count);
      return;
    }
  }
  entries_.emplace_back(stream, count);
}

void Frontier::merge(const Frontier& other) {
  for (const auto& [stream, count] : other.entries_) raise(stream, count);
}

bool Frontier::covers(std::uint64_t stream, std::uint64_t count) const {
  return std::any_of(entries_.begin(), entries_.end(),
                     [&](const auto& entry) { return entry.first == stream && entry.second >= count; });
}

std::vector<Window> touched(std::size_t bytes) {
  if (bytes <= window_threshold_bytes) return {{0, bytes}};
  return windows(bytes, Cluster::current().seed());
}

void Deliveries::hold(std::uint64_t stream, std::uint64_t number, std::byte* destination, const std::byte* source,
                      std::size_t bytes) {
  Held held{stream, number, destination, bytes, {}};
  for (const Window& part : touched(bytes)) {
    held.data.insert(held.data.end(), source + part.offset, source + part.offset + part.bytes);
  }
  const std::lock_guard lock(mutex_);
  held_bytes_ += held.data.size();
  held_.push_back(std::move(held));
  while (held_bytes_ > most_held_bytes) {
    hand_over(held_.front());
    held_bytes_ -= held_.front().data.size();
    held_.erase(held_.begin());
  }
}

void Deliveries::release(const Frontier& frontier) {
  const std::lock_guard lock(mutex_);
  std::erase_if(held_, [&](const Held& held) {
    if (!frontier.covers(held.stream, held.number)) return false;
    hand_over(held);
    held_bytes_ -= held.data.size();
    return true;
  });
}

void Deliveries::release_all() {
  const std::lock_guard lock(mutex_);
  for (const Held& held : held_) hand_over(held);
  held_.clear();
  held_bytes_ = 0;
}

void Deliveries::hand_over(const Held& held) {
  const std::byte* from = held.data.data();
  for (const Window& part : touched(held.bytes)) {
    std::memcpy(held.destination + part.offset, from, part.bytes);
    from += part.bytes;
  }
}

}  // namespace emulator
