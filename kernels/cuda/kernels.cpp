#include "kernels/cuda/kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <source_location>

#include "kernels/cuda/check.hpp"
#include "kernels/cuda/device/kernels.cuh"

namespace assay::cuda {

namespace {

constexpr unsigned threads_per_block = 256;
// Enough to fill the largest GPU several times over; ranges wrap around.
constexpr std::uint64_t most_blocks = std::uint64_t{1} << 22;
constexpr std::uint64_t checking_blocks = 4096;

unsigned blocks_for(std::uint64_t elements, std::uint64_t most = most_blocks) {
  const std::uint64_t blocks = (elements + threads_per_block - 1) / threads_per_block;
  return static_cast<unsigned>(std::clamp<std::uint64_t>(blocks, 1, most));
}

/// Launches `kernel` with exactly its parameters: values are converted to the parameters' types before their addresses
/// are taken.
template <class... Parameters, class... Arguments>
void launch(const Stream& stream, const char* name, dim3 blocks, unsigned threads, void (*kernel)(Parameters...),
            Arguments... arguments) {
  std::tuple<Parameters...> values(static_cast<Parameters>(arguments)...);
  const cudaError_t code = std::apply(
      [&](auto&... value) {
        std::array<void*, sizeof...(Parameters) + 1> addresses{static_cast<void*>(&value)..., nullptr};
        return cudaLaunchKernel(reinterpret_cast<const void*>(kernel), blocks, dim3(threads), addresses.data(), 0,
                                stream.get());
      },
      values);
  check(code, name);
}

/// Rows by threads, columns shared by further blocks.
dim3 blocks_for_matrix(const MatrixShape& shape) {
  constexpr std::uint64_t most_column_blocks = 256;
  return {blocks_for(shape.rows),
          static_cast<unsigned>(std::clamp<std::uint64_t>(shape.columns, 1, most_column_blocks))};
}

bool whole_words(const void* at, std::size_t bytes) {
  return reinterpret_cast<std::uintptr_t>(at) % sizeof(std::uint64_t) == 0 && bytes % sizeof(std::uint64_t) == 0;
}

}  // namespace

TallyCounter::TallyCounter() : memory_(sizeof(Tally)) {}

void TallyCounter::clear(const Stream& stream) {
  check(cudaMemsetAsync(memory_.data(), 0, sizeof(Tally), stream.get()), "cudaMemsetAsync");
}

Tally TallyCounter::read(const Stream& stream) const {
  stream.synchronise("a check of results");  // a copy to such memory would wait for it without an end
  Tally tally{};
  check(cudaMemcpyAsync(&tally, memory_.data(), sizeof tally, cudaMemcpyDeviceToHost, stream.get()), "cudaMemcpyAsync");
  stream.synchronise();
  return tally;
}

Check check_of(const Tally& tally) {
  Check check{tally.checked, tally.wrong, {}};
  if (tally.wrong > 0)
    check.first = fmt::format("element {}: {:x} is there, {:x} expected (bits)", tally.at, tally.found, tally.expected);
  return check;
}

void fill_words(const Stream& stream, void* to, std::size_t bytes, std::uint64_t seed) {
  if (bytes == 0) return;
  if (whole_words(to, bytes))
    launch(stream, "assay_fill_words", blocks_for(bytes / 8), threads_per_block, assay_fill_words,
           static_cast<std::uint64_t*>(to), bytes / 8, seed);
  else
    launch(stream, "assay_fill_bytes", blocks_for(bytes), threads_per_block, assay_fill_bytes,
           static_cast<std::uint8_t*>(to), bytes, seed);
}

void check_words(const Stream& stream, const void* at, std::size_t bytes, std::uint64_t seed,
                 const TallyCounter& tally) {
  if (bytes == 0) return;
  if (whole_words(at, bytes))
    launch(stream, "assay_check_words", blocks_for(bytes / 8, checking_blocks), threads_per_block, assay_check_words,
           static_cast<const std::uint64_t*>(at), bytes / 8, seed, tally.get());
  else
    launch(stream, "assay_check_bytes", blocks_for(bytes, checking_blocks), threads_per_block, assay_check_bytes,
           static_cast<const std::uint8_t*>(at), bytes, seed, tally.get());
}

void sum_pattern(const Stream& stream, std::size_t bytes, std::uint64_t seed, const TallyCounter& tally) {
  launch(stream, "assay_sum_pattern", blocks_for(bytes / 8, checking_blocks), threads_per_block, assay_sum_pattern,
         bytes / 8, seed, tally.get());
}

void flip_bit(const Stream& stream, void* at, std::size_t byte) {
  launch(stream, "assay_flip_bit", 1, 32, assay_flip_bit, static_cast<std::uint8_t*>(at), byte);
}

void fill_contribution(const Stream& stream, Dtype type, void* to, std::size_t count, const Contribution& from) {
  if (count == 0) return;
  launch(stream, "assay_fill_contribution", blocks_for(count), threads_per_block, assay_fill_contribution, type, to,
         count, from);
}

void check_contribution(const Stream& stream, Dtype type, const void* at, std::size_t count, const Contribution& from,
                        const TallyCounter& tally) {
  if (count == 0) return;
  launch(stream, "assay_check_contribution", blocks_for(count, checking_blocks), threads_per_block,
         assay_check_contribution, type, at, count, from, tally.get());
}

void check_sum(const Stream& stream, Dtype type, const void* at, std::size_t count, const Contribution& from,
               const TallyCounter& tally) {
  if (count == 0) return;
  launch(stream, "assay_check_sum", blocks_for(count, checking_blocks), threads_per_block, assay_check_sum, type, at,
         count, from, tally.get());
}

void fill_matrix(const Stream& stream, Dtype type, void* to, const MatrixShape& shape, std::uint64_t seed,
                 double flops) {
  launch(stream, "assay_fill_matrix", blocks_for_matrix(shape), threads_per_block, assay_fill_matrix, type, to, shape,
         seed, flops);
}

void fill_signs(const Stream& stream, double* x, std::size_t length, std::uint64_t seed) {
  launch(stream, "assay_fill_signs", blocks_for(length), threads_per_block, assay_fill_signs, x, length, seed);
}

void matrix_times(const Stream& stream, Dtype type, const void* matrix, const MatrixShape& shape, const double* x,
                  double* result, double flops) {
  launch(stream, "assay_matrix_times", blocks_for(shape.rows), threads_per_block, assay_matrix_times, type, matrix,
         shape, x, result, flops);
}

void freivalds(const Stream& stream, const TypedMatrix& a, const double* bx, const TypedMatrix& c, const double* x,
               double bound, double flops, const TallyCounter& tally) {
  launch(stream, "assay_freivalds", blocks_for(a.shape.rows), threads_per_block, assay_freivalds, a.type, a.data,
         a.shape, bx, c.type, c.data, c.shape, x, bound, flops, tally.get());
}

void compare_matrix(const Stream& stream, const TypedMatrix& left, const void* right, double flops,
                    const TallyCounter& tally) {
  launch(stream, "assay_compare_matrix", blocks_for_matrix(left.shape), threads_per_block, assay_compare_matrix,
         static_cast<std::uint32_t>(size_of(left.type)), left.data, right, left.shape, flops, tally.get());
}

void read(const Stream& stream, const void* from, std::size_t bytes, const TallyCounter& tally) {
  launch(stream, "assay_read", blocks_for(bytes / 16, checking_blocks), threads_per_block, assay_read,
         static_cast<const ulonglong2*>(from), bytes / 16, tally.get());
}

void copy(const Stream& stream, void* to, const void* from, std::size_t bytes) {
  launch(stream, "assay_copy", blocks_for(bytes / 16), threads_per_block, assay_copy, static_cast<ulonglong2*>(to),
         static_cast<const ulonglong2*>(from), bytes / 16);
}

void triad(const Stream& stream, void* a, const void* b, const void* c, double factor, std::size_t bytes) {
  launch(stream, "assay_triad", blocks_for(bytes / 16), threads_per_block, assay_triad, static_cast<double2*>(a),
         static_cast<const double2*>(b), static_cast<const double2*>(c), factor, bytes / 16);
}

void fill_triad(const Stream& stream, void* b, void* c, std::size_t bytes, std::uint64_t seed) {
  launch(stream, "assay_fill_triad", blocks_for(bytes / 16), threads_per_block, assay_fill_triad,
         static_cast<double2*>(b), static_cast<double2*>(c), bytes / 16, seed);
}

void check_triad(const Stream& stream, const void* a, double factor, std::size_t bytes, std::uint64_t seed,
                 const TallyCounter& tally) {
  launch(stream, "assay_check_triad", blocks_for(bytes / 16, checking_blocks), threads_per_block, assay_check_triad,
         static_cast<const double2*>(a), factor, bytes / 16, seed, tally.get());
}

void sm_copy(const Stream& stream, void* to, const void* from, std::size_t bytes) { copy(stream, to, from, bytes); }

void chase_link(const Stream& stream, void* lines, const ChaseShape& shape) {
  launch(stream, "assay_chase_link", blocks_for(shape.lines), threads_per_block, assay_chase_link,
         static_cast<std::uint64_t*>(lines), shape);
}

void chase(const Stream& stream, const void* lines, const ChaseShape& shape, std::uint64_t step, std::uint64_t loads,
           std::uint64_t* end) {
  launch(stream, "assay_chase", 1, 32, assay_chase, static_cast<const std::uint64_t*>(lines), shape, step, loads, end);
}

void chase_check(const Stream& stream, const void* lines, const ChaseShape& shape, const TallyCounter& tally) {
  launch(stream, "assay_chase_check", blocks_for(shape.lines, checking_blocks), threads_per_block, assay_chase_check,
         static_cast<const std::uint64_t*>(lines), shape, tally.get());
}

void launch_gate(const Stream& stream, const unsigned* opened, unsigned turn, unsigned* gave_up, Seconds longest) {
  launch(stream, "assay_gate", 1, 32, assay_gate, opened, turn, gave_up, 1e9 * longest.value);
}

void launch_empty(const Stream& stream) { launch(stream, "assay_empty", 1, 32, assay_empty); }

}  // namespace assay::cuda
