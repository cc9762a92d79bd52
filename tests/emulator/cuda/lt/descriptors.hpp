#pragma once

#include <cublasLt.h>

#include <cstdint>

namespace emulator::lt {

/// What stands in the opaque structures of cublasLt.h.
struct Operation {
  std::int32_t compute = 0, scale = 0, pointer_mode = 0;
  std::int32_t transpose_a = CUBLAS_OP_N, transpose_b = CUBLAS_OP_N, transpose_c = CUBLAS_OP_N;
  std::int32_t fill_mode = CUBLAS_FILL_MODE_FULL, multiprocessors = 0;
  std::uint32_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  std::int8_t quick_sum = 0;
  const void *scale_a = nullptr, *scale_b = nullptr, *scale_c = nullptr, *scale_d = nullptr;
};
static_assert(sizeof(Operation) <= sizeof(cublasLtMatmulDescOpaque_t));

struct Layout {
  std::uint32_t type = 0;
  std::int32_t order = CUBLASLT_ORDER_COL, batches = 1;
  std::uint64_t rows = 0, columns = 0;
  std::int64_t leading = 0, batch_stride = 0;
};
static_assert(sizeof(Layout) <= sizeof(cublasLtMatrixLayoutOpaque_t));

struct Preference {
  std::uint32_t mode = CUBLASLT_SEARCH_BEST_FIT, reductions = CUBLASLT_REDUCTION_SCHEME_MASK;
  std::uint64_t workspace_bytes = 0;
  std::uint32_t alignment_a = 256, alignment_b = 256, alignment_c = 256, alignment_d = 256;
  float waves = 0;
};
static_assert(sizeof(Preference) <= sizeof(cublasLtMatmulPreferenceOpaque_t));

struct Algorithm {
  std::uint32_t magic = 0;
  std::int32_t id = 0;
  std::uint32_t tile = 0, stages = 0, split_k = 1, reduction = 0, swizzling = 0, option = 0;
  std::uint16_t inner_shape = 0, cluster_shape = 0;
  float efficiency = 1;  ///< Of the time that a healthy card needs: 1 = the best algorithm.
  std::uint64_t workspace_bytes = 0;
};
static_assert(sizeof(Algorithm) <= sizeof(cublasLtMatmulAlgo_t));
inline constexpr std::uint32_t algorithm_magic = 0x454d4c54;

/// A product as the descriptors say it: D(m x n) = op(A)(m x k) op(B)(k x n).
struct Problem {
  Operation operation;
  Layout a, b, c, d;
  std::uint64_t m = 0, n = 0, k = 0;
  [[nodiscard]] double operations() const;
};

/// The problem of these descriptors; CUBLAS_STATUS_INVALID_VALUE when the shapes do not fit together.
cublasStatus_t understand(const Operation&, const Layout& a, const Layout& b, const Layout& c, const Layout& d,
                          Problem& problem);

template <typename Inner, typename Opaque>
Inner& inner(Opaque* opaque) {
  return *reinterpret_cast<Inner*>(opaque);
}
template <typename Inner, typename Opaque>
const Inner& inner(const Opaque* opaque) {
  return *reinterpret_cast<const Inner*>(opaque);
}

}  // namespace emulator::lt
