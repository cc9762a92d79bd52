// A pointer chase: each load waits for the one before. A line is 128 bytes, and its first word is the number of the
// next line.

#include "kernels/cuda/device/cycle.cuh"
#include "kernels/cuda/device/grid.cuh"
#include "kernels/cuda/device/kernels.cuh"
#include "kernels/cuda/device/note_wrong.cuh"

namespace assay::cuda {

namespace {

constexpr std::uint32_t line_bytes = 128;
constexpr std::uint64_t line_words = line_bytes / sizeof(std::uint64_t);

}  // namespace

extern "C" __global__ void assay_chase_link(std::uint64_t* lines, ChaseShape shape) {
  const Cycle cycle(shape);
  for (const std::uint64_t line : grid_range(shape.lines, line_bytes)) lines[line * line_words] = cycle.after(line);
}

extern "C" __global__ void assay_chase(const std::uint64_t* lines, ChaseShape shape, std::uint64_t step,
                                       std::uint64_t loads, std::uint64_t* end) {
  if (!first_thread()) return;
  std::uint64_t line = Cycle(shape).line_at(step);
  for (std::uint64_t i = 0; i < loads; ++i) line = lines[line * line_words];
  *end = line;
}

extern "C" __global__ void assay_chase_check(const std::uint64_t* lines, ChaseShape shape, Tally* tally) {
  const Cycle cycle(shape);
  std::uint64_t looked = 0;
  for (const std::uint64_t line : grid_range(shape.lines, line_bytes)) {
    ++looked;
    const std::uint64_t expected = cycle.after(line);
    if (lines[line * line_words] != expected) note_wrong(tally, line, lines[line * line_words], expected);
  }
  add_block_to_counter(&tally->checked, looked);
}

}  // namespace assay::cuda
