#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <shared_mutex>

#include "tests/emulator/model/cluster.hpp"

namespace emulator {

/// A file descriptor with an owner.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.number_) { other.number_ = -1; }
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor();
  [[nodiscard]] int get() const { return number_; }

 private:
  int number_;
};

/// A part of a sparse file, mapped twice: for the application without any access, so that a dereference of a device
/// pointer by the host is a segmentation fault, and once more, readable and writable, for what runs "on the device".
class TwinMapping {
 public:
  /// Throws ApiError(cudaErrorMemoryAllocation).
  TwinMapping(int file, std::uint64_t offset, std::size_t bytes);
  TwinMapping(TwinMapping&& other) noexcept;
  TwinMapping& operator=(TwinMapping&&) = delete;
  ~TwinMapping();

  [[nodiscard]] std::byte* application() const { return application_; }
  [[nodiscard]] std::byte* alias() const { return alias_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  std::byte* application_ = nullptr;
  std::byte* alias_ = nullptr;
  std::size_t bytes_ = 0;
};

/// The memory of one GPU as one process sees it: its own allocations, in one sparse file.
class Arena {
 public:
  explicit Arena(const Gpu& gpu);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// Address for the application. Throws ApiError(cudaErrorMemoryAllocation) when the card is full.
  std::byte* allocate(std::size_t bytes);
  void free(std::byte* base, std::size_t bytes);
  /// Gives back what is held, in the accounts of the card; the memory stays mapped.
  void disown();
  [[nodiscard]] std::byte* alias(std::byte* address) const;
  [[nodiscard]] int file() const { return file_.get(); }
  [[nodiscard]] std::uint64_t offset(const std::byte* address) const;

  /// Bytes that a new allocation could take now, over all processes; and in all.
  static std::uint64_t available(const Gpu& gpu);

 private:
  [[nodiscard]] std::uint64_t take(std::size_t bytes);

  const Gpu& gpu_;
  std::uint64_t span_;
  Descriptor file_;
  TwinMapping mapping_;
  std::map<std::uint64_t, std::uint64_t> holes_;  ///< offset -> bytes
  std::uint64_t held_ = 0;
};

enum class Place { device, pinned, pageable };

/// One allocation, or the part of another process's that was opened here.
struct Block {
  Place place = Place::pageable;
  int device = 0;  ///< Ordinal: whose memory, or current when the host memory was pinned.
  const Gpu* gpu = nullptr;
  std::byte* base = nullptr;
  std::size_t bytes = 0;
  std::byte* alias = nullptr;  ///< Of base.
  unsigned flags = 0;
  bool imported = false, registered = false;
};

/// All blocks of this process by address.
class AddressSpace {
 public:
  void insert(const Block& block);
  /// The block that holds the address; none for host memory that nobody pinned.
  [[nodiscard]] std::optional<Block> find(const void* address) const;
  /// Removes the block that starts there. Throws ApiError(cudaErrorInvalidValue) when none does or the place differs.
  Block remove(const void* base, Place place);

 private:
  mutable std::shared_mutex mutex_;
  std::map<std::uintptr_t, Block> blocks_;
};

}  // namespace emulator
