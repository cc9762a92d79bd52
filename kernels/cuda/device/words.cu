// Raw bits for everything that only moves data: word i of a block is mixed(seed, i).

#include "kernels/cuda/device/grid.cuh"
#include "kernels/cuda/device/kernels.cuh"
#include "kernels/cuda/device/mix.cuh"
#include "kernels/cuda/device/note_wrong.cuh"

namespace assay::cuda {

namespace {

constexpr std::uint32_t word_bytes = sizeof(std::uint64_t);

__device__ std::uint8_t byte_of(std::uint64_t seed, std::uint64_t index) {
  return static_cast<std::uint8_t>(mixed(seed, index / word_bytes) >> (8 * (index % word_bytes)));
}

}  // namespace

extern "C" __global__ void assay_fill_words(std::uint64_t* to, std::uint64_t words, std::uint64_t seed) {
  for (const std::uint64_t i : grid_range(words, word_bytes)) to[i] = mixed(seed, i);
}

extern "C" __global__ void assay_check_words(const std::uint64_t* at, std::uint64_t words, std::uint64_t seed,
                                             Tally* tally) {
  std::uint64_t looked = 0;
  for (const std::uint64_t i : grid_range(words, word_bytes)) {
    const std::uint64_t expected = mixed(seed, i);
    ++looked;
    if (at[i] != expected) note_wrong(tally, i, at[i], expected);
  }
  add_block_to_counter(&tally->checked, looked);
}

extern "C" __global__ void assay_fill_bytes(std::uint8_t* to, std::uint64_t bytes, std::uint64_t seed) {
  for (const std::uint64_t i : grid_range(bytes, 1)) to[i] = byte_of(seed, i);
}

extern "C" __global__ void assay_check_bytes(const std::uint8_t* at, std::uint64_t bytes, std::uint64_t seed,
                                             Tally* tally) {
  std::uint64_t looked = 0;
  for (const std::uint64_t i : grid_range(bytes, 1)) {
    ++looked;
    if (at[i] != byte_of(seed, i)) note_wrong(tally, i, at[i], byte_of(seed, i));
  }
  add_block_to_counter(&tally->checked, looked);
}

extern "C" __global__ void assay_sum_pattern(std::uint64_t words, std::uint64_t seed, Tally* tally) {
  std::uint64_t sum = 0;
  std::uint64_t looked = 0;
  for (const std::uint64_t i : grid_range(words, word_bytes)) {
    sum += mixed(seed, i);
    ++looked;
  }
  add_block_to_counter(&tally->sum, sum);
  add_block_to_counter(&tally->checked, looked);
}

extern "C" __global__ void assay_flip_bit(std::uint8_t* at, std::uint64_t byte) {
  if (first_thread()) at[byte] ^= 1;
}

}  // namespace assay::cuda
