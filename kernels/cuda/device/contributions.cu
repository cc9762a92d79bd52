// Numbers for reductions, such that every sum of every subset of ranks is exact in every type, e4m3 with its 4
// significant bits included: at each index at most 8 ranks give a whole number from {-2, -1, 1, 2}, the others give 0,
// so that no partial sum leaves [-16, 16], whatever the order of addition.

#include "kernels/cuda/device/grid.cuh"
#include "kernels/cuda/device/kernels.cuh"
#include "kernels/cuda/device/mix.cuh"
#include "kernels/cuda/device/note_wrong.cuh"
#include "kernels/cuda/device/numbers.cuh"

namespace assay::cuda {

namespace {

constexpr int most_givers = 8;

__device__ int givers_of(const Contribution& from) { return from.ranks < most_givers ? from.ranks : most_givers; }

/// What the giver `turn` places after the first one gives.
__device__ int gift(std::uint64_t word, int turn) {
  const auto bits = static_cast<unsigned>(word >> (32 + 2 * turn));
  const int magnitude = 1 + static_cast<int>(bits & 1);
  return (bits & 2) != 0 ? -magnitude : magnitude;
}

__device__ int contribution_of(const Contribution& from, std::uint64_t index) {
  const std::uint64_t word = mixed(from.seed, from.first + index);
  const int first_giver = static_cast<int>((word & 0xffffffffU) % static_cast<unsigned>(from.ranks));
  const int turn = (from.rank - first_giver + from.ranks) % from.ranks;
  return turn < givers_of(from) ? gift(word, turn) : 0;
}

__device__ int sum_of(const Contribution& from, std::uint64_t index) {
  const std::uint64_t word = mixed(from.seed, from.first + index);
  int sum = 0;
  for (int turn = 0; turn < givers_of(from); ++turn) sum += gift(word, turn);
  return sum;
}

__device__ std::uint32_t size_in_memory(Dtype type) {
  switch (type) {
    case Dtype::f64:
      return 8;
    case Dtype::bf16:
    case Dtype::f16:
      return 2;
    case Dtype::f8:
    case Dtype::i8:
      return 1;
    default:
      return 4;
  }
}

__device__ bool holds(Dtype type, const void* at, std::uint64_t index, int expected) {
  return load_number(type, at, index) == static_cast<double>(expected);
}

}  // namespace

extern "C" __global__ void assay_fill_contribution(Dtype type, void* to, std::uint64_t count, Contribution from) {
  for (const std::uint64_t i : grid_range(count, size_in_memory(type)))
    store_number(type, to, i, static_cast<double>(contribution_of(from, i)));
}

extern "C" __global__ void assay_check_contribution(Dtype type, const void* at, std::uint64_t count, Contribution from,
                                                    Tally* tally) {
  std::uint64_t looked = 0;
  for (const std::uint64_t i : grid_range(count, size_in_memory(type))) {
    ++looked;
    const int expected = contribution_of(from, i);
    if (!holds(type, at, i, expected))
      note_wrong(tally, i, load_bits(size_in_memory(type), at, i), static_cast<std::uint64_t>(expected));
  }
  add_block_to_counter(&tally->checked, looked);
}

extern "C" __global__ void assay_check_sum(Dtype type, const void* at, std::uint64_t count, Contribution from,
                                           Tally* tally) {
  std::uint64_t looked = 0;
  for (const std::uint64_t i : grid_range(count, size_in_memory(type))) {
    ++looked;
    const int expected = sum_of(from, i);
    if (!holds(type, at, i, expected))
      note_wrong(tally, i, load_bits(size_in_memory(type), at, i), static_cast<std::uint64_t>(expected));
  }
  add_block_to_counter(&tally->checked, looked);
}

}  // namespace assay::cuda
