#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

namespace assay {

/// Page-touched memory that outlives a case, so that series do not pay for page faults again and again.
/// Not for use by several threads. Blocks are aligned to 2 MiB and asked to be huge pages.
class BufferPool {
 public:
  /// A block on loan; returned when destroyed. Contents are whatever the last user left.
  class Block {
   public:
    Block() = default;
    Block(Block&&) noexcept;
    Block& operator=(Block&&) noexcept;
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;
    ~Block();

    [[nodiscard]] std::byte* data() const { return data_; }
    [[nodiscard]] std::size_t size() const { return size_; }
    template <class T>
    [[nodiscard]] std::span<T> as() const {
      return {reinterpret_cast<T*>(data_), size_ / sizeof(T)};
    }

   private:
    friend class BufferPool;
    Block(BufferPool* pool, std::byte* data, std::size_t size, std::size_t capacity);
    void release() noexcept;

    BufferPool* pool_ = nullptr;
    std::byte* data_ = nullptr;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
  };

  BufferPool() = default;
  BufferPool(const BufferPool&) = delete;
  BufferPool& operator=(const BufferPool&) = delete;
  ~BufferPool();

  /// The smallest free block that fits (at most twice as large), or a new one with every page touched.
  /// Throws Error(environment) when the system has no memory for it.
  [[nodiscard]] Block take(std::size_t bytes);

  [[nodiscard]] std::size_t bytes_held() const { return held_; }
  /// Gives free blocks back to the system.
  void trim() noexcept;

 private:
  std::multimap<std::size_t, std::byte*> free_;
  std::size_t held_ = 0;
};

}  // namespace assay
