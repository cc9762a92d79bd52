#include "core/buffer.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>

#include "core/error.hpp"
#include "core/units.hpp"

namespace assay {

namespace {

constexpr std::size_t alignment = std::size_t{2} << 20;

Error no_memory(std::size_t bytes, int error_number) {
  return environment_error(
      fmt::format("no memory for a buffer of {}: {}", format_quantity(static_cast<double>(bytes), Dimension::bytes),
                  std::strerror(error_number)),
      "run fewer ranks per node, a smaller suite, or raise the memory limit of the job");
}

std::byte* map_touched(std::size_t bytes) {
  // Mapped with room to align: mmap itself promises no more than a page.
  const std::size_t reserved = bytes + alignment;
  void* base = mmap(nullptr, reserved, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED) throw no_memory(bytes, errno);
  auto* first = static_cast<std::byte*>(base);
  const auto offset = (alignment - reinterpret_cast<std::uintptr_t>(first) % alignment) % alignment;
  if (offset > 0) munmap(first, offset);
  if (alignment - offset > 0) munmap(first + offset + bytes, alignment - offset);
  std::byte* data = first + offset;
  madvise(data, bytes, MADV_HUGEPAGE);
  std::memset(data, 0, bytes);
  return data;
}

}  // namespace

BufferPool::Block::Block(BufferPool* pool, std::byte* data, std::size_t size, std::size_t capacity)
    : pool_(pool), data_(data), size_(size), capacity_(capacity) {}

BufferPool::Block::Block(Block&& other) noexcept
    : pool_(std::exchange(other.pool_, nullptr)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      capacity_(std::exchange(other.capacity_, 0)) {}

BufferPool::Block& BufferPool::Block::operator=(Block&& other) noexcept {
  if (this != &other) {
    release();
    pool_ = std::exchange(other.pool_, nullptr);
    data_ = std::exchange(other.data_, nullptr);
    size_ = std::exchange(other.size_, 0);
    capacity_ = std::exchange(other.capacity_, 0);
  }
  return *this;
}

BufferPool::Block::~Block() { release(); }

void BufferPool::Block::release() noexcept {
  if (pool_ != nullptr) pool_->free_.emplace(capacity_, data_);
  pool_ = nullptr;
}

BufferPool::~BufferPool() { trim(); }

BufferPool::Block BufferPool::take(std::size_t bytes) {
  if (bytes > std::numeric_limits<std::size_t>::max() - 2 * alignment) throw no_memory(bytes, ENOMEM);
  const std::size_t capacity = (bytes + alignment - 1) / alignment * alignment;
  const std::size_t wanted = capacity == 0 ? alignment : capacity;
  const auto found = free_.lower_bound(wanted);
  if (found != free_.end() && found->first <= 2 * wanted) {
    Block block(this, found->second, bytes, found->first);
    free_.erase(found);
    return block;
  }
  std::byte* data = map_touched(wanted);
  held_ += wanted;
  return {this, data, bytes, wanted};
}

void BufferPool::trim() noexcept {
  for (const auto& [capacity, data] : free_) {
    munmap(data, capacity);
    held_ -= capacity;
  }
  free_.clear();
}

}  // namespace assay
