// Memory bandwidth: 16 bytes for each access, neighbours by neighbouring threads.

#include "kernels/cuda/device/grid.cuh"
#include "kernels/cuda/device/kernels.cuh"
#include "kernels/cuda/device/mix.cuh"
#include "kernels/cuda/device/note_wrong.cuh"
#include "kernels/cuda/device/numbers.cuh"

namespace assay::cuda {

namespace {

constexpr std::uint32_t pair_bytes = 16;

// Whole numbers below 1024: triad's result is exact for small factors.
__device__ double small_number(std::uint64_t seed, std::uint64_t index) {
  return static_cast<double>(mixed(seed, index) & 1023);
}

__device__ void check_number(Tally* tally, std::uint64_t index, double found, double expected) {
  if (found != expected)
    note_wrong(tally, index, load_bits(sizeof found, &found, 0), load_bits(sizeof expected, &expected, 0));
}

}  // namespace

extern "C" __global__ void assay_read(const ulonglong2* from, std::uint64_t pairs, Tally* tally) {
  std::uint64_t sum = 0;
  for (const std::uint64_t i : grid_range(pairs, pair_bytes)) {
    const ulonglong2 pair = from[i];
    sum += pair.x + pair.y;
  }
  add_block_to_counter(&tally->sum, sum);
}

extern "C" __global__ void assay_copy(ulonglong2* __restrict__ to, const ulonglong2* __restrict__ from,
                                      std::uint64_t pairs) {
  for (const std::uint64_t i : grid_range(pairs, pair_bytes)) to[i] = from[i];
}

extern "C" __global__ void assay_triad(double2* __restrict__ a, const double2* __restrict__ b,
                                       const double2* __restrict__ c, double factor, std::uint64_t pairs) {
  for (const std::uint64_t i : grid_range(pairs, pair_bytes)) {
    const double2 left = b[i];
    const double2 right = c[i];
    double2 result;
    result.x = left.x + factor * right.x;
    result.y = left.y + factor * right.y;
    a[i] = result;
  }
}

extern "C" __global__ void assay_fill_triad(double2* b, double2* c, std::uint64_t pairs, std::uint64_t seed) {
  for (const std::uint64_t i : grid_range(pairs, pair_bytes)) {
    b[i].x = small_number(seed, 4 * i);
    b[i].y = small_number(seed, 4 * i + 1);
    c[i].x = small_number(seed, 4 * i + 2);
    c[i].y = small_number(seed, 4 * i + 3);
  }
}

extern "C" __global__ void assay_check_triad(const double2* a, double factor, std::uint64_t pairs, std::uint64_t seed,
                                             Tally* tally) {
  std::uint64_t looked = 0;
  for (const std::uint64_t i : grid_range(pairs, pair_bytes)) {
    const double2 found = a[i];
    check_number(tally, 2 * i, found.x, small_number(seed, 4 * i) + factor * small_number(seed, 4 * i + 2));
    check_number(tally, 2 * i + 1, found.y, small_number(seed, 4 * i + 1) + factor * small_number(seed, 4 * i + 3));
    looked += 2;
  }
  add_block_to_counter(&tally->checked, looked);
}

}  // namespace assay::cuda
