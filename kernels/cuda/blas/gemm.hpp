#pragma once

#include <cstdint>

#include "core/case.hpp"
#include "kernels/cuda/blas/product.hpp"
#include "kernels/cuda/kernels.hpp"

namespace assay::cuda {

/// Random matrices on the current device and their product.
class Gemm {
 public:
  /// Fills A and B, poisons C, and chooses the algorithm.
  Gemm(const Stream& stream, const ProductShape& shape, std::uint64_t seed);

  void poison(const Stream& stream) const;  ///< C becomes what no product leaves: not a number, or -1
  void multiply(const Stream& stream) const { product_.multiply(stream, operands()); }
  void multiply_into(const Stream& stream, void* c) const;
  /// Freivalds' check (1977) of C on the device; counts all n * n elements as checked and rows outside the bound as
  /// wrong. Waits for the stream.
  [[nodiscard]] Check check(const Stream& stream, std::uint64_t seed);
  /// Damages the first column of C.
  void damage(const Stream& stream) const;

  [[nodiscard]] const ProductShape& shape() const { return shape_; }
  [[nodiscard]] const Memory& result() const { return c_; }
  [[nodiscard]] std::size_t result_bytes() const;
  [[nodiscard]] const std::string& words() const { return product_.words(); }

 private:
  [[nodiscard]] Product::Operands operands() const { return {a_.data(), b_.data(), c_.data()}; }

  ProductShape shape_;
  Memory a_;
  Memory b_;
  Memory c_;
  Product product_;
  Memory x_;
  Memory bx_;
  TallyCounter tally_;
};

}  // namespace assay::cuda
