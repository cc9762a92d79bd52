// Random matrices, and Freivalds' check of a product with a vector of random signs: C x against A (B x), in double.

#include "kernels/cuda/device/grid.cuh"
#include "kernels/cuda/device/kernels.cuh"
#include "kernels/cuda/device/mix.cuh"
#include "kernels/cuda/device/note_wrong.cuh"
#include "kernels/cuda/device/numbers.cuh"

namespace assay::cuda {

namespace {

__device__ std::uint64_t place(const MatrixShape& shape, std::uint64_t row, std::uint64_t column) {
  return row * shape.row_stride + column * shape.column_stride;
}

__device__ std::uint64_t double_bits(double value) { return load_bits(sizeof value, &value, 0); }

}  // namespace

extern "C" __global__ void assay_fill_matrix(Dtype type, void* to, MatrixShape shape, std::uint64_t seed,
                                             double flops) {
  for (const std::uint64_t row : row_range(shape.rows, flops))
    for (std::uint64_t column = 0; column < shape.columns; ++column)
      store_number(type, to, place(shape, row, column), random_number(type, mixed(seed, row * shape.columns + column)));
}

extern "C" __global__ void assay_fill_signs(double* x, std::uint64_t length, std::uint64_t seed) {
  for (const std::uint64_t i : grid_range(length, sizeof(double))) x[i] = (mixed(seed, i) & 1) != 0 ? 1.0 : -1.0;
}

extern "C" __global__ void assay_matrix_times(Dtype type, const void* matrix, MatrixShape shape, const double* x,
                                              double* result, double flops) {
  for (const std::uint64_t row : row_range(shape.rows, flops)) {
    double sum = 0;
    for (std::uint64_t column = 0; column < shape.columns; ++column)
      sum += x[column] * load_number(type, matrix, place(shape, row, column));
    result[row] = sum;
  }
}

extern "C" __global__ void assay_freivalds(Dtype a_type, const void* a, MatrixShape a_shape, const double* bx,
                                           Dtype c_type, const void* c, MatrixShape c_shape, const double* x,
                                           double bound, double flops, Tally* tally) {
  std::uint64_t looked = 0;
  for (const std::uint64_t row : row_range(a_shape.rows, flops)) {
    double expected = 0;
    for (const std::uint64_t k : inner_range(a_shape.columns, flops))
      expected += bx[k] * load_number(a_type, a, place(a_shape, row, k));
    double found = 0;
    for (std::uint64_t column = 0; column < c_shape.columns; ++column)
      found += x[column] * load_number(c_type, c, place(c_shape, row, column));
    looked += c_shape.columns;
    const double error = found > expected ? found - expected : expected - found;
    if (!(error <= bound)) note_wrong(tally, row, double_bits(found), double_bits(expected));
  }
  add_block_to_counter(&tally->checked, looked);
}

extern "C" __global__ void assay_compare_matrix(std::uint32_t size, const void* left, const void* right,
                                                MatrixShape shape, double flops, Tally* tally) {
  std::uint64_t looked = 0;
  for (const std::uint64_t row : row_range(shape.rows, flops)) {
    for (std::uint64_t column = 0; column < shape.columns; ++column) {
      const std::uint64_t at = place(shape, row, column);
      const std::uint64_t found = load_bits(size, left, at);
      const std::uint64_t expected = load_bits(size, right, at);
      if (found != expected) note_wrong(tally, at, found, expected);
    }
    looked += shape.columns;
  }
  add_block_to_counter(&tally->checked, looked);
}

}  // namespace assay::cuda
