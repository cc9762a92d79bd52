// The descriptors of cuBLASLt: made, set, read and thrown away.
#include <cublasLt.h>

#include <cstdio>
#include <cstring>
#include <memory>

#include "tests/emulator/cuda/lt/descriptors.hpp"

using namespace emulator::lt;

namespace {

/// A member of a descriptor: where it lies and how long it is; nothing for attributes that are not emulated.
struct Member {
  void* address = nullptr;
  std::size_t bytes = 0;
};

template <typename T>
Member member(T& value) {
  return {&value, sizeof value};
}

Member find(Operation& operation, cublasLtMatmulDescAttributes_t attribute) {
  switch (attribute) {
    case CUBLASLT_MATMUL_DESC_COMPUTE_TYPE:
      return member(operation.compute);
    case CUBLASLT_MATMUL_DESC_SCALE_TYPE:
      return member(operation.scale);
    case CUBLASLT_MATMUL_DESC_POINTER_MODE:
      return member(operation.pointer_mode);
    case CUBLASLT_MATMUL_DESC_TRANSA:
      return member(operation.transpose_a);
    case CUBLASLT_MATMUL_DESC_TRANSB:
      return member(operation.transpose_b);
    case CUBLASLT_MATMUL_DESC_TRANSC:
      return member(operation.transpose_c);
    case CUBLASLT_MATMUL_DESC_FILL_MODE:
      return member(operation.fill_mode);
    case CUBLASLT_MATMUL_DESC_EPILOGUE:
      return member(operation.epilogue);
    case CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET:
      return member(operation.multiprocessors);
    case CUBLASLT_MATMUL_DESC_A_SCALE_POINTER:
      return member(operation.scale_a);
    case CUBLASLT_MATMUL_DESC_B_SCALE_POINTER:
      return member(operation.scale_b);
    case CUBLASLT_MATMUL_DESC_C_SCALE_POINTER:
      return member(operation.scale_c);
    case CUBLASLT_MATMUL_DESC_D_SCALE_POINTER:
      return member(operation.scale_d);
    case CUBLASLT_MATMUL_DESC_FAST_ACCUM:
      return member(operation.quick_sum);
    default:
      return {};
  }
}

Member find(Layout& layout, cublasLtMatrixLayoutAttribute_t attribute) {
  switch (attribute) {
    case CUBLASLT_MATRIX_LAYOUT_TYPE:
      return member(layout.type);
    case CUBLASLT_MATRIX_LAYOUT_ORDER:
      return member(layout.order);
    case CUBLASLT_MATRIX_LAYOUT_ROWS:
      return member(layout.rows);
    case CUBLASLT_MATRIX_LAYOUT_COLS:
      return member(layout.columns);
    case CUBLASLT_MATRIX_LAYOUT_LD:
      return member(layout.leading);
    case CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT:
      return member(layout.batches);
    case CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET:
      return member(layout.batch_stride);
    default:
      return {};
  }
}

Member find(Preference& preference, cublasLtMatmulPreferenceAttributes_t attribute) {
  switch (attribute) {
    case CUBLASLT_MATMUL_PREF_SEARCH_MODE:
      return member(preference.mode);
    case CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES:
      return member(preference.workspace_bytes);
    case CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK:
      return member(preference.reductions);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES:
      return member(preference.alignment_a);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES:
      return member(preference.alignment_b);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES:
      return member(preference.alignment_c);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES:
      return member(preference.alignment_d);
    case CUBLASLT_MATMUL_PREF_MAX_WAVES_COUNT:
      return member(preference.waves);
    default:
      return {};
  }
}

Member find(Algorithm& algorithm, cublasLtMatmulAlgoConfigAttributes_t attribute) {
  switch (attribute) {
    case CUBLASLT_ALGO_CONFIG_ID:
      return member(algorithm.id);
    case CUBLASLT_ALGO_CONFIG_TILE_ID:
      return member(algorithm.tile);
    case CUBLASLT_ALGO_CONFIG_SPLITK_NUM:
      return member(algorithm.split_k);
    case CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME:
      return member(algorithm.reduction);
    case CUBLASLT_ALGO_CONFIG_CTA_SWIZZLING:
      return member(algorithm.swizzling);
    case CUBLASLT_ALGO_CONFIG_CUSTOM_OPTION:
      return member(algorithm.option);
    case CUBLASLT_ALGO_CONFIG_STAGES_ID:
      return member(algorithm.stages);
    case CUBLASLT_ALGO_CONFIG_INNER_SHAPE_ID:
      return member(algorithm.inner_shape);
    case CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID:
      return member(algorithm.cluster_shape);
    default:
      return {};
  }
}

cublasStatus_t unknown(const char* what, int attribute) {
  std::fprintf(stderr, "emulated CUDA: attribute %d of %s is not emulated\n", attribute, what);
  return CUBLAS_STATUS_NOT_SUPPORTED;
}

template <typename Inner, typename Opaque, typename Attribute>
cublasStatus_t set(const char* what, Opaque* opaque, Attribute attribute, const void* value, std::size_t bytes) {
  if (opaque == nullptr || value == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  const Member found = find(inner<Inner>(opaque), attribute);
  if (found.address == nullptr) return unknown(what, attribute);
  if (bytes != found.bytes) return CUBLAS_STATUS_INVALID_VALUE;
  std::memcpy(found.address, value, bytes);
  return CUBLAS_STATUS_SUCCESS;
}

template <typename Inner, typename Opaque, typename Attribute>
cublasStatus_t get(const char* what, const Opaque* opaque, Attribute attribute, void* value, std::size_t bytes,
                   std::size_t* written) {
  if (opaque == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  Inner copy = inner<Inner>(opaque);
  const Member found = find(copy, attribute);
  if (found.address == nullptr) return unknown(what, attribute);
  if (written != nullptr) *written = found.bytes;
  if (bytes == 0 && written != nullptr) return CUBLAS_STATUS_SUCCESS;
  if (value == nullptr || bytes < found.bytes) return CUBLAS_STATUS_INVALID_VALUE;
  std::memcpy(value, found.address, found.bytes);
  return CUBLAS_STATUS_SUCCESS;
}

/// Writes the beginning state of a descriptor into its opaque structure.
template <typename Opaque, typename Inner>
cublasStatus_t begin(Opaque* opaque, std::size_t bytes, const Inner& state) {
  if (opaque == nullptr || bytes < sizeof(Opaque)) return CUBLAS_STATUS_INVALID_VALUE;
  *opaque = {};
  std::memcpy(static_cast<void*>(opaque), &state, sizeof state);
  return CUBLAS_STATUS_SUCCESS;
}

template <typename Opaque, typename Inner>
cublasStatus_t create(Opaque** handle, const Inner& state) {
  if (handle == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *handle = std::make_unique<Opaque>().release();
  return begin(*handle, sizeof(Opaque), state);
}

template <typename Opaque>
cublasStatus_t destroy(Opaque* handle) {
  const std::unique_ptr<Opaque> owner(handle);
  return CUBLAS_STATUS_SUCCESS;
}

Layout layout_of(cudaDataType type, std::uint64_t rows, std::uint64_t columns, std::int64_t leading) {
  return {.type = static_cast<std::uint32_t>(type), .rows = rows, .columns = columns, .leading = leading};
}

}  // namespace

extern "C" {

cublasStatus_t cublasLtMatmulDescInit_internal(cublasLtMatmulDesc_t desc, std::size_t bytes,
                                               cublasComputeType_t compute, cudaDataType_t scale) {
  return begin(desc, bytes, Operation{.compute = compute, .scale = scale});
}
cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* desc, cublasComputeType_t compute, cudaDataType_t scale) {
  return create(desc, Operation{.compute = compute, .scale = scale});
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t desc) { return destroy(desc); }
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t desc, cublasLtMatmulDescAttributes_t attribute,
                                              const void* value, std::size_t bytes) {
  return set<Operation>("a matmul", desc, attribute, value, bytes);
}
cublasStatus_t cublasLtMatmulDescGetAttribute(cublasLtMatmulDesc_t desc, cublasLtMatmulDescAttributes_t attribute,
                                              void* value, std::size_t bytes, std::size_t* written) {
  return get<Operation>("a matmul", desc, attribute, value, bytes, written);
}

cublasStatus_t cublasLtMatrixLayoutInit_internal(cublasLtMatrixLayout_t layout, std::size_t bytes, cudaDataType type,
                                                 std::uint64_t rows, std::uint64_t columns, std::int64_t leading) {
  return begin(layout, bytes, layout_of(type, rows, columns, leading));
}
cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* layout, cudaDataType type, std::uint64_t rows,
                                          std::uint64_t columns, std::int64_t leading) {
  return create(layout, layout_of(type, rows, columns, leading));
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) { return destroy(layout); }
cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout,
                                                cublasLtMatrixLayoutAttribute_t attribute, const void* value,
                                                std::size_t bytes) {
  return set<Layout>("a matrix", layout, attribute, value, bytes);
}
cublasStatus_t cublasLtMatrixLayoutGetAttribute(cublasLtMatrixLayout_t layout,
                                                cublasLtMatrixLayoutAttribute_t attribute, void* value,
                                                std::size_t bytes, std::size_t* written) {
  return get<Layout>("a matrix", layout, attribute, value, bytes, written);
}

cublasStatus_t cublasLtMatmulPreferenceInit_internal(cublasLtMatmulPreference_t preference, std::size_t bytes) {
  return begin(preference, bytes, Preference{});
}
cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* preference) {
  return create(preference, Preference{});
}
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) { return destroy(preference); }
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t attribute, const void* value,
                                                    std::size_t bytes) {
  return set<Preference>("a preference", preference, attribute, value, bytes);
}
cublasStatus_t cublasLtMatmulPreferenceGetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t attribute, void* value,
                                                    std::size_t bytes, std::size_t* written) {
  return get<Preference>("a preference", preference, attribute, value, bytes, written);
}

cublasStatus_t cublasLtMatmulAlgoConfigGetAttribute(const cublasLtMatmulAlgo_t* algorithm,
                                                    cublasLtMatmulAlgoConfigAttributes_t attribute, void* value,
                                                    std::size_t bytes, std::size_t* written) {
  return get<Algorithm>("an algorithm", algorithm, attribute, value, bytes, written);
}
}
