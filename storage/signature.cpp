#include "storage/signature.hpp"

#include <fmt/format.h>

#include <cstring>

#include "core/random.hpp"

namespace assay {
namespace {

constexpr std::size_t words = signed_block_bytes / sizeof(std::uint64_t);
constexpr std::size_t first_filler_word = 4;
constexpr std::size_t last_word = words - 1;

std::uint64_t load(std::span<const std::byte> block, std::size_t word) {
  std::uint64_t value = 0;
  std::memcpy(&value, block.data() + word * sizeof value, sizeof value);
  return value;
}

void store(std::span<std::byte> block, std::size_t word, std::uint64_t value) {
  std::memcpy(block.data() + word * sizeof value, &value, sizeof value);
}

std::uint64_t seal(std::uint64_t seed, std::uint64_t offset, std::uint64_t third) {
  return mix(mix(seed, offset), third);
}

}  // namespace

void write_fillers(std::span<std::byte> memory, std::uint64_t seed) {
  for (std::size_t at = 0; at + signed_block_bytes <= memory.size(); at += signed_block_bytes) {
    const std::span<std::byte> block = memory.subspan(at, signed_block_bytes);
    const std::uint64_t base = mix(seed, at / signed_block_bytes);
    for (std::size_t word = first_filler_word; word < last_word; ++word) store(block, word, mix(base, word));
  }
}

void sign_block(std::span<std::byte> block, const Signature& signature) {
  const std::uint64_t third = std::uint64_t{signature.generation} << 32 | signature.filler;
  const std::uint64_t sealed = seal(signature.seed, signature.offset, third);
  store(block, 0, signature.seed);
  store(block, 1, signature.offset);
  store(block, 2, third);
  store(block, 3, sealed);
  store(block, last_word, sealed);
}

std::optional<std::string> find_fault(std::span<const std::byte> block, std::uint64_t seed, std::uint64_t offset,
                                      std::uint32_t generation) {
  const std::uint64_t third = load(block, 2);
  const std::uint64_t sealed = seal(load(block, 0), load(block, 1), third);
  if (load(block, 0) != seed || load(block, 3) != sealed) {
    return fmt::format("block at byte {}: no signature of this file", offset);
  }
  if (load(block, 1) != offset) {
    return fmt::format("block at byte {}: holds the block of byte {}", offset, load(block, 1));
  }
  if (third >> 32 != generation) {
    return fmt::format("block at byte {}: generation {}, expected {}", offset, third >> 32, generation);
  }
  const std::uint64_t base = mix(seed, third & 0xffffffffU);
  for (std::size_t word = first_filler_word; word < last_word; ++word) {
    if (load(block, word) == mix(base, word)) continue;
    return fmt::format("block at byte {}: word {} is {:016x}, expected {:016x}", offset, word, load(block, word),
                       mix(base, word));
  }
  if (load(block, last_word) != sealed) return fmt::format("block at byte {}: torn, its end is another's", offset);
  return std::nullopt;
}

}  // namespace assay
