// The calls of cuBLASLt that work: handles, heuristics, products.
#include <cublasLt.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <memory>

#include "tests/emulator/cuda/engine.hpp"
#include "tests/emulator/cuda/lt/matmul.hpp"
#include "tests/emulator/cuda/lt/numbers.hpp"

using namespace emulator;
using namespace emulator::lt;

struct cublasLtContext {
  int device = 0;
};

namespace emulator::lt {

double Problem::operations() const {
  return 2 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
}

cublasStatus_t understand(const Operation& operation, const Layout& a, const Layout& b, const Layout& c,
                          const Layout& d, Problem& problem) {
  problem = {.operation = operation, .a = a, .b = b, .c = c, .d = d};
  const bool plain_a = operation.transpose_a == CUBLAS_OP_N, plain_b = operation.transpose_b == CUBLAS_OP_N;
  problem.m = plain_a ? a.rows : a.columns;
  problem.k = plain_a ? a.columns : a.rows;
  problem.n = plain_b ? b.columns : b.rows;
  const bool fits = (plain_b ? b.rows : b.columns) == problem.k && d.rows == problem.m && d.columns == problem.n &&
                    c.rows == d.rows && c.columns == d.columns;
  if (!fits || problem.m == 0 || problem.n == 0 || problem.k == 0) return CUBLAS_STATUS_INVALID_VALUE;
  for (const Layout* layout : {&a, &b, &c, &d}) {
    const std::uint64_t shortest = layout->order == CUBLASLT_ORDER_ROW ? layout->columns : layout->rows;
    if (layout->leading < static_cast<std::int64_t>(shortest)) return CUBLAS_STATUS_INVALID_VALUE;
    if (layout->batches != 1 || bytes_of(layout->type) == 0) return CUBLAS_STATUS_NOT_SUPPORTED;
  }
  return CUBLAS_STATUS_SUCCESS;
}

namespace {

struct Text {
  int code;
  const char* name;
  const char* text;
};

constexpr Text texts[] = {
#include "status_table.inc"
};

const Text& text_of(int code) {
  const auto* found =
      std::find_if(std::begin(texts), std::end(texts), [&](const Text& one) { return one.code == code; });
  return found == std::end(texts) ? texts[std::size(texts) - 1] : *found;  // the last one: unknown
}

/// alpha or beta, in the type of the scale and where the pointer mode says.
bool read_factor(const Operation& operation, const void* pointer, double& value) {
  const auto type = static_cast<std::uint32_t>(operation.scale);
  if (operation.pointer_mode == CUBLASLT_POINTER_MODE_DEVICE) pointer = host_alias(pointer, bytes_of(type));
  if (pointer == nullptr || operation.pointer_mode > CUBLASLT_POINTER_MODE_DEVICE) return false;
  value = load(type, static_cast<const std::byte*>(pointer), 0);
  return true;
}

}  // namespace
}  // namespace emulator::lt

extern "C" {

cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  if (handle == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  int device = 0;
  if (cudaGetDevice(&device) != cudaSuccess || device_state() != cudaSuccess) return CUBLAS_STATUS_NOT_INITIALIZED;
  *handle = std::make_unique<cublasLtContext>(cublasLtContext{device}).release();
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  const std::unique_ptr<cublasLtContext> owner(handle);
  return CUBLAS_STATUS_SUCCESS;
}

std::size_t cublasLtGetVersion() { return CUBLAS_VERSION; }
std::size_t cublasLtGetCudartVersion() { return CUDART_VERSION; }

cublasStatus_t cublasLtGetProperty(libraryPropertyType type, int* value) {
  if (value == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *value = type == MAJOR_VERSION ? CUBLAS_VER_MAJOR : type == MINOR_VERSION ? CUBLAS_VER_MINOR : CUBLAS_VER_PATCH;
  return CUBLAS_STATUS_SUCCESS;
}

const char* cublasLtGetStatusName(cublasStatus_t status) { return text_of(status).name; }
const char* cublasLtGetStatusString(cublasStatus_t status) { return text_of(status).text; }

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t operation,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int wanted,
                                              cublasLtMatmulHeuristicResult_t* results, int* found) {
  if (handle == nullptr || operation == nullptr || a == nullptr || b == nullptr || c == nullptr || d == nullptr ||
      preference == nullptr || results == nullptr || found == nullptr || wanted < 1) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  *found = 0;
  Problem problem;
  const cublasStatus_t status = understand(inner<Operation>(operation), inner<Layout>(a), inner<Layout>(b),
                                           inner<Layout>(c), inner<Layout>(d), problem);
  if (status != CUBLAS_STATUS_SUCCESS) return status;
  for (const Algorithm& algorithm : candidates(problem, current_gpu(), inner<Preference>(preference))) {
    if (*found == wanted) break;
    cublasLtMatmulHeuristicResult_t& result = results[(*found)++];
    result = {};
    std::memcpy(static_cast<void*>(&result.algo), &algorithm, sizeof algorithm);
    result.workspaceSize = algorithm.workspace_bytes;
    result.state = CUBLAS_STATUS_SUCCESS;
    result.wavesCount = 1;
  }
  return *found > 0 ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_SUPPORTED;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t operation, const void* alpha, const void* a,
                              cublasLtMatrixLayout_t a_layout, const void* b, cublasLtMatrixLayout_t b_layout,
                              const void* beta, const void* c, cublasLtMatrixLayout_t c_layout, void* d,
                              cublasLtMatrixLayout_t d_layout, const cublasLtMatmulAlgo_t* chosen, void* workspace,
                              std::size_t workspace_bytes, cudaStream_t stream) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (operation == nullptr || a_layout == nullptr || b_layout == nullptr || c_layout == nullptr ||
      d_layout == nullptr) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  Problem problem;
  cublasStatus_t status = understand(inner<Operation>(operation), inner<Layout>(a_layout), inner<Layout>(b_layout),
                                     inner<Layout>(c_layout), inner<Layout>(d_layout), problem);
  if (status != CUBLAS_STATUS_SUCCESS) return status;
  Operands operands{.a = a, .b = b, .c = c, .d = d};
  if (!read_factor(problem.operation, alpha, operands.alpha) || !read_factor(problem.operation, beta, operands.beta)) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  Algorithm algorithm;
  if (chosen != nullptr) {
    algorithm = inner<Algorithm>(chosen);
  } else {
    const auto list = candidates(problem, gpu_of(stream), Preference{});
    if (list.empty()) return CUBLAS_STATUS_NOT_SUPPORTED;
    algorithm = list.front();
  }
  if (algorithm.magic != algorithm_magic) return CUBLAS_STATUS_INVALID_VALUE;
  if (workspace_bytes < algorithm.workspace_bytes) return CUBLAS_STATUS_INVALID_VALUE;
  if (algorithm.workspace_bytes > 0 && host_alias(workspace, workspace_bytes) == nullptr) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  return enqueue_matmul(problem, algorithm, operands, stream);
}
}
