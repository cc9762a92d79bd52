#include "collectives/mpi/pattern.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "core/random.hpp"

namespace assay::mpi {

template <class T>
Tile<T>::Tile(const Stream& stream, std::size_t count) : values_(std::min(count, period)) {
  const std::uint64_t ends =
      (static_cast<std::uint64_t>(stream.source) << 32) | static_cast<std::uint32_t>(stream.destination);
  const std::uint64_t key = mix(mix(stream.seed, stream.batch), ends);
  for (std::size_t i = 0; i < values_.size(); ++i) values_[i] = static_cast<T>(mix(key, i) % limit);
}

template <class T>
Tile<T>& Tile<T>::operator+=(const Tile& other) {
  std::ranges::transform(values_, other.values_, values_.begin(), [](T a, T b) { return static_cast<T>(a + b); });
  return *this;
}

template <class T>
void Tile<T>::fill(std::span<T> block) const {
  while (!block.empty()) {
    const std::size_t length = std::min(block.size(), values_.size());
    std::copy_n(values_.begin(), length, block.begin());
    block = block.subspan(length);
  }
}

template <class T>
void Tile<T>::compare(std::span<const T> block, const char* name, int number, Check& check) const {
  check.checked += block.size();
  for (std::size_t start = 0; start < block.size(); start += values_.size()) {
    const std::size_t length = std::min(block.size() - start, values_.size());
    if (std::memcmp(&block[start], values_.data(), length * sizeof(T)) == 0) continue;
    for (std::size_t i = 0; i < length; ++i) {
      if (std::memcmp(&block[start + i], &values_[i], sizeof(T)) == 0) continue;
      ++check.wrong;
      if (!check.first.empty()) continue;
      check.first =
          fmt::format("element {} of {} {}: {}, expected {}", start + i, name, number, block[start + i], values_[i]);
    }
  }
}

template class Tile<std::uint8_t>;
template class Tile<float>;
template class Tile<double>;

void poison(std::span<std::byte> bytes) { std::ranges::fill(bytes, std::byte{0xff}); }

bool damage(std::span<std::byte> bytes) {
  if (bytes.empty()) return false;
  bytes[bytes.size() / 2] ^= std::byte{1};
  return true;
}

}  // namespace assay::mpi
