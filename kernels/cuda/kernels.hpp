#pragma once

#include <cstddef>
#include <cstdint>

#include "core/case.hpp"
#include "core/units.hpp"
#include "kernels/cuda/device/tally.hpp"
#include "kernels/cuda/dtype.hpp"
#include "kernels/cuda/memory.hpp"
#include "kernels/cuda/stream.hpp"

// Launchers of the kernels of device/. All only enqueue, and throw Error(environment) when the launch is refused. Fill
// and check each block that moves as one (the range that one rank sends) by itself, with its own seed or index.

namespace assay::cuda {

/// A Tally in device memory and the way to read it.
class TallyCounter {
 public:
  TallyCounter();
  void clear(const Stream& stream);
  [[nodiscard]] Tally* get() const { return memory_.at<Tally>(); }
  /// Waits for the stream. `checked`, `wrong`, and words about a wrong element.
  [[nodiscard]] Tally read(const Stream& stream) const;

 private:
  Memory memory_;
};

/// "element 17: 3fc0 is there, 3f80 expected": bits in hexadecimal.
[[nodiscard]] Check check_of(const Tally& tally);

/// Random bits, for everything that only moves data. Any length; 8-byte aligned blocks are quicker.
void fill_words(const Stream& stream, void* to, std::size_t bytes, std::uint64_t seed);
/// Counts words (8 bytes; or bytes, when not aligned) that differ from what fill_words wrote.
void check_words(const Stream& stream, const void* at, std::size_t bytes, std::uint64_t seed,
                 const TallyCounter& tally);
/// Adds up what fill_words writes into tally.sum.
void sum_pattern(const Stream& stream, std::size_t bytes, std::uint64_t seed, const TallyCounter& tally);
/// Damages one byte, for Case::corrupt().
void flip_bit(const Stream& stream, void* at, std::size_t byte);

/// Numbers for reductions: any sum over any of the ranks is exact in every type. `from.rank` says whose.
void fill_contribution(const Stream& stream, Dtype type, void* to, std::size_t count, const Contribution& from);
/// Holds `count` elements against what fill_contribution wrote on `from.rank`.
void check_contribution(const Stream& stream, Dtype type, const void* at, std::size_t count, const Contribution& from,
                        const TallyCounter& tally);
/// Holds them against the sum over all `from.ranks` ranks.
void check_sum(const Stream& stream, Dtype type, const void* at, std::size_t count, const Contribution& from,
               const TallyCounter& tally);

/// Random numbers of the type; `flops` is the cost of the product that the matrix takes part in.
void fill_matrix(const Stream& stream, Dtype type, void* to, const MatrixShape& shape, std::uint64_t seed,
                 double flops);
void fill_signs(const Stream& stream, double* x, std::size_t length, std::uint64_t seed);
/// result = matrix * x
void matrix_times(const Stream& stream, Dtype type, const void* matrix, const MatrixShape& shape, const double* x,
                  double* result, double flops);
struct TypedMatrix {
  Dtype type;
  const void* data;
  MatrixShape shape;
};
/// Counts rows where |C x - A (B x)| exceeds the bound.
void freivalds(const Stream& stream, const TypedMatrix& a, const double* bx, const TypedMatrix& c, const double* x,
               double bound, double flops, const TallyCounter& tally);
/// Counts elements of two matrices whose bits differ.
void compare_matrix(const Stream& stream, const TypedMatrix& left, const void* right, double flops,
                    const TallyCounter& tally);

/// Adds up all words into tally.sum. Lengths in bytes, multiples of 16; arrays aligned to 16.
void read(const Stream& stream, const void* from, std::size_t bytes, const TallyCounter& tally);
void copy(const Stream& stream, void* to, const void* from, std::size_t bytes);
/// a = b + factor * c in f64; `bytes` of one array.
void triad(const Stream& stream, void* a, const void* b, const void* c, double factor, std::size_t bytes);
void fill_triad(const Stream& stream, void* b, void* c, std::size_t bytes, std::uint64_t seed);
void check_triad(const Stream& stream, const void* a, double factor, std::size_t bytes, std::uint64_t seed,
                 const TallyCounter& tally);
/// A copy by the multiprocessors, from or to a peer.
void sm_copy(const Stream& stream, void* to, const void* from, std::size_t bytes);

constexpr std::size_t chase_line_bytes = 128;
void chase_link(const Stream& stream, void* lines, const ChaseShape& shape);
/// Follows `loads` links from where step `step` of the cycle is, and stores the number of the line where it ends.
void chase(const Stream& stream, const void* lines, const ChaseShape& shape, std::uint64_t step, std::uint64_t loads,
           std::uint64_t* end);
void chase_check(const Stream& stream, const void* lines, const ChaseShape& shape, const TallyCounter& tally);

void launch_gate(const Stream& stream, const unsigned* opened, unsigned turn, unsigned* gave_up, Seconds longest);
void launch_empty(const Stream& stream);

}  // namespace assay::cuda
