#include "kernels/cuda/blas/gemm.hpp"

#include <fmt/format.h>

#include <bit>

#include "core/random.hpp"
#include "kernels/cuda/check.hpp"

namespace assay::cuda {

namespace {

constexpr int poison_byte = 0xff;
// A huge number in every type: 0x5a5a is 203.25 as f16, 1.5e16 as bf16.
constexpr int damage_byte = 0x5a;

std::size_t bytes_of(Dtype type, std::uint64_t n) { return size_of(type) * n * n; }

}  // namespace

Gemm::Gemm(const Stream& stream, const ProductShape& shape, std::uint64_t seed)
    : shape_(shape),
      a_(bytes_of(shape.type, shape.n)),
      b_(bytes_of(shape.type, shape.n)),
      c_(bytes_of(shape.result_type(), shape.n)),
      product_(CublasLt::shared(), shape),
      x_(sizeof(double) * shape.n),
      bx_(sizeof(double) * shape.n) {
  fill_matrix(stream, shape.type, a_.data(), shape.a(), mix(seed, 1), shape.flops());
  fill_matrix(stream, shape.type, b_.data(), shape.b(), mix(seed, 2), shape.flops());
  poison(stream);
  product_.choose(stream, operands());
}

std::size_t Gemm::result_bytes() const { return bytes_of(shape_.result_type(), shape_.n); }

void Gemm::poison(const Stream& stream) const {
  cuda::check(cudaMemsetAsync(c_.data(), poison_byte, result_bytes(), stream.get()), "cudaMemsetAsync");
}

void Gemm::multiply_into(const Stream& stream, void* c) const { product_.multiply(stream, {a_.data(), b_.data(), c}); }

void Gemm::damage(const Stream& stream) const {
  const std::size_t column = size_of(shape_.result_type()) * shape_.n;
  cuda::check(cudaMemsetAsync(c_.data(), damage_byte, column, stream.get()), "cudaMemsetAsync");
}

Check Gemm::check(const Stream& stream, std::uint64_t seed) {
  const double flops = shape_.flops();
  const double bound = freivalds_bound(shape_);
  fill_signs(stream, x_.at<double>(), shape_.n, seed);
  matrix_times(stream, shape_.type, b_.data(), shape_.b(), x_.at<double>(), bx_.at<double>(), flops);
  tally_.clear(stream);
  freivalds(stream, {shape_.type, a_.data(), shape_.a()}, bx_.at<double>(),
            {shape_.result_type(), c_.data(), shape_.c()}, x_.at<double>(), bound, flops, tally_);
  const Tally tally = tally_.read(stream);
  Check check{tally.checked, tally.wrong, {}};
  if (tally.wrong > 0)
    check.first = fmt::format("row {}: C x = {}, A (B x) = {}, bound {:.3g}", tally.at,
                              std::bit_cast<double>(tally.found), std::bit_cast<double>(tally.expected), bound);
  return check;
}

}  // namespace assay::cuda
