#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "kernels/cuda/blas/cublaslt.hpp"
#include "kernels/cuda/device/tally.hpp"
#include "kernels/cuda/dtype.hpp"
#include "kernels/cuda/memory.hpp"
#include "kernels/cuda/stream.hpp"

namespace assay::cuda {

/// C = A B with square matrices of order n: A row after row, B and C column after column ("TN"), the one layout that
/// cuBLASLt has for every type. Sums are kept in f64 for f64, in i32 for i8, in f32 otherwise.
struct ProductShape {
  Dtype type;
  std::uint64_t n;
  [[nodiscard]] double flops() const {
    return 2.0 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n);
  }
  [[nodiscard]] Dtype result_type() const;  ///< of C: bf16 for f8, i32 for i8, else the type itself
  [[nodiscard]] MatrixShape a() const { return {n, n, n, 1}; }
  [[nodiscard]] MatrixShape b() const { return {n, n, 1, n}; }
  [[nodiscard]] MatrixShape c() const { return {n, n, 1, n}; }
  auto operator<=>(const ProductShape&) const = default;
};

/// How far a row of C x may be from A (B x), |x_j| = 1, for random_number()'s matrices; docs/metrics.md derives it.
/// 0 for i8: whole numbers are exact.
[[nodiscard]] double freivalds_bound(const ProductShape& shape);

/// One of the algorithms that the library proposes.
struct Algorithm {
  cublasLtMatmulAlgo_t choice;
  std::size_t workspace_bytes;
  std::string words;  ///< "algo 66 tile 20 stages 36 cluster 3, workspace 32 MiB; best of 12 tried"
};

/// Descriptors for one shape on the current device, and the algorithm to use.
class Product {
 public:
  Product(CublasLt& library, const ProductShape& shape);

  struct Operands {
    const void* a;
    const void* b;
    void* c;
  };
  /// Times every proposal of the library on these operands and keeps the fastest. A shape that was tried before in this
  /// process keeps its algorithm. Throws Error(environment) when there is none for this type on this GPU.
  void choose(const Stream& stream, const Operands& operands);
  /// Enqueues C = A B.
  void multiply(const Stream& stream, const Operands& operands) const;
  [[nodiscard]] const std::string& words() const { return best_->words; }

 private:
  template <class T>
  using Handle = std::unique_ptr<std::remove_pointer_t<T>, cublasStatus_t (*)(T)>;

  [[nodiscard]] Handle<cublasLtMatrixLayout_t> layout(Dtype type) const;
  void describe();
  [[nodiscard]] std::vector<cublasLtMatmulHeuristicResult_t> proposals() const;
  [[nodiscard]] std::optional<double> seconds_of(const Stream& stream, const Operands& operands,
                                                 const cublasLtMatmulAlgo_t& algorithm,
                                                 std::size_t workspace_bytes) const;
  [[nodiscard]] Algorithm fastest(const Stream& stream, const Operands& operands) const;
  cublasStatus_t enqueue(const Stream& stream, const Operands& operands, const cublasLtMatmulAlgo_t& algorithm,
                         std::size_t workspace_bytes) const;
  [[nodiscard]] std::string words_for(const cublasLtMatmulAlgo_t& algorithm, std::size_t workspace_bytes) const;

  CublasLt& library_;
  ProductShape shape_;
  Handle<cublasLtMatmulDesc_t> operation_;
  Handle<cublasLtMatrixLayout_t> a_;
  Handle<cublasLtMatrixLayout_t> b_;
  Handle<cublasLtMatrixLayout_t> c_;
  Memory workspace_;
  Memory scales_;
  const Algorithm* best_ = nullptr;
};

}  // namespace assay::cuda
