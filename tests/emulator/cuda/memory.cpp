#include "tests/emulator/cuda/memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "tests/emulator/cuda/errors.hpp"
#include "tests/emulator/model/state.hpp"

namespace emulator {
namespace {

constexpr std::uint64_t small_step = 512, large_step = std::uint64_t{2} << 20;
/// Held by driver and context on every card.
constexpr std::uint64_t reserved_bytes = std::uint64_t{420} << 20;

std::uint64_t rounded(std::uint64_t bytes, std::uint64_t step) { return (bytes + step - 1) / step * step; }
std::uint64_t step_of(std::uint64_t bytes) { return bytes >= large_step ? large_step : small_step; }

std::byte* map(int file, std::uint64_t offset, std::size_t bytes, int protection) {
  void* address = mmap(nullptr, bytes, protection, MAP_SHARED | MAP_NORESERVE, file, static_cast<off_t>(offset));
  require(address != MAP_FAILED, cudaErrorMemoryAllocation);
  // A core dump or a fork must not touch what may be many GiB of nothing.
  madvise(address, bytes, MADV_DONTDUMP);
  return static_cast<std::byte*>(address);
}

Descriptor sparse_file(std::uint64_t bytes) {
  Descriptor file(memfd_create("emulated GPU memory", MFD_CLOEXEC));
  require(file.get() >= 0 && ftruncate(file.get(), static_cast<off_t>(bytes)) == 0, cudaErrorMemoryAllocation);
  return file;
}

}  // namespace

Descriptor::~Descriptor() {
  if (number_ >= 0) close(number_);
}

TwinMapping::TwinMapping(int file, std::uint64_t offset, std::size_t bytes)
    : application_(map(file, offset, bytes, PROT_NONE)), bytes_(bytes) {
  try {
    alias_ = map(file, offset, bytes, PROT_READ | PROT_WRITE);
  } catch (...) {
    munmap(application_, bytes_);
    throw;
  }
}

TwinMapping::TwinMapping(TwinMapping&& other) noexcept
    : application_(other.application_), alias_(other.alias_), bytes_(other.bytes_) {
  other.bytes_ = 0;
}

TwinMapping::~TwinMapping() {
  if (bytes_ == 0) return;
  munmap(application_, bytes_);
  munmap(alias_, bytes_);
}

// Twice the card's memory, as addresses on a GPU do not run out by fragmentation either.
Arena::Arena(const Gpu& gpu)
    : gpu_(gpu),
      span_(2 * rounded(gpu.memory_bytes, large_step)),
      file_(sparse_file(span_)),
      mapping_(file_.get(), 0, span_),
      holes_{{0, span_}} {}

Arena::~Arena() { disown(); }

void Arena::disown() { account_memory(gpu_, -static_cast<std::int64_t>(std::exchange(held_, 0))); }

std::uint64_t Arena::available(const Gpu& gpu) {
  const std::uint64_t used = gpu.foreign_bytes + memory_held(gpu) + reserved_bytes;
  return gpu.memory_bytes > used ? gpu.memory_bytes - used : 0;
}

std::uint64_t Arena::take(std::size_t bytes) {
  const std::uint64_t step = step_of(bytes), wanted = rounded(bytes, step);
  for (auto hole = holes_.begin(); hole != holes_.end(); ++hole) {
    const auto [start, size] = *hole;
    const std::uint64_t offset = rounded(start, step), lead = offset - start;
    if (size < lead + wanted) continue;
    holes_.erase(hole);
    if (lead > 0) holes_[start] = lead;
    if (size > lead + wanted) holes_[offset + wanted] = size - lead - wanted;
    return offset;
  }
  throw ApiError(cudaErrorMemoryAllocation);
}

std::byte* Arena::allocate(std::size_t bytes) {
  const std::uint64_t wanted = rounded(bytes, step_of(bytes));
  require(wanted >= bytes && wanted <= available(gpu_), cudaErrorMemoryAllocation);
  const std::uint64_t offset = take(bytes);
  held_ += wanted;
  account_memory(gpu_, static_cast<std::int64_t>(wanted));
  return mapping_.application() + offset;
}

void Arena::free(std::byte* base, std::size_t bytes) {
  const std::uint64_t wanted = rounded(bytes, step_of(bytes));
  std::uint64_t start = offset(base), size = wanted;
  fallocate(file_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(start),
            static_cast<off_t>(size));
  held_ -= wanted;
  account_memory(gpu_, -static_cast<std::int64_t>(wanted));
  auto next = holes_.lower_bound(start);
  if (next != holes_.end() && next->first == start + size) {
    size += next->second;
    next = holes_.erase(next);
  }
  if (next != holes_.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == start) {
      before->second += size;
      return;
    }
  }
  holes_[start] = size;
}

std::byte* Arena::alias(std::byte* address) const { return mapping_.alias() + offset(address); }

std::uint64_t Arena::offset(const std::byte* address) const {
  return static_cast<std::uint64_t>(address - mapping_.application());
}

void AddressSpace::insert(const Block& block) {
  const std::unique_lock lock(mutex_);
  blocks_[reinterpret_cast<std::uintptr_t>(block.base)] = block;
}

std::optional<Block> AddressSpace::find(const void* address) const {
  const std::shared_lock lock(mutex_);
  const auto key = reinterpret_cast<std::uintptr_t>(address);
  auto after = blocks_.upper_bound(key);
  if (after == blocks_.begin()) return std::nullopt;
  const Block& block = std::prev(after)->second;
  if (key >= std::prev(after)->first + block.bytes) return std::nullopt;
  return block;
}

Block AddressSpace::remove(const void* base, Place place) {
  const std::unique_lock lock(mutex_);
  const auto found = blocks_.find(reinterpret_cast<std::uintptr_t>(base));
  require(found != blocks_.end() && found->second.place == place);
  const Block block = found->second;
  blocks_.erase(found);
  return block;
}

}  // namespace emulator
