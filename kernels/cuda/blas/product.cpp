#include "kernels/cuda/blas/product.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/error.hpp"
#include "core/units.hpp"
#include "kernels/cuda/check.hpp"

namespace assay::cuda {

namespace {

constexpr std::size_t workspace_bytes_allowed = std::size_t{64} << 20;
constexpr int proposals_wanted = 24;
constexpr int timed_repetitions = 3;

cudaDataType_t data_type(Dtype type) {
  switch (type) {
    case Dtype::f64:
      return CUDA_R_64F;
    case Dtype::bf16:
      return CUDA_R_16BF;
    case Dtype::f16:
      return CUDA_R_16F;
    case Dtype::f8:
      return CUDA_R_8F_E4M3;
    case Dtype::i8:
      return CUDA_R_8I;
    case Dtype::i32:
      return CUDA_R_32I;
    default:
      return CUDA_R_32F;
  }
}

cublasComputeType_t compute_type(Dtype type) {
  switch (type) {
    case Dtype::f64:
      return CUBLAS_COMPUTE_64F;
    case Dtype::tf32:
      return CUBLAS_COMPUTE_32F_FAST_TF32;
    case Dtype::i8:
      return CUBLAS_COMPUTE_32I;
    default:
      return CUBLAS_COMPUTE_32F;
  }
}

cudaDataType_t scale_type(Dtype type) {
  if (type == Dtype::f64) return CUDA_R_64F;
  return type == Dtype::i8 ? CUDA_R_32I : CUDA_R_32F;
}

/// One and zero in the type of the scale.
struct Factors {
  explicit Factors(Dtype type) {
    if (type == Dtype::f64)
      *reinterpret_cast<double*>(one.data()) = 1;
    else if (type == Dtype::i8)
      *reinterpret_cast<std::int32_t*>(one.data()) = 1;
    else
      *reinterpret_cast<float*>(one.data()) = 1;
  }
  alignas(double) std::array<std::byte, sizeof(double)> one{};
  alignas(double) std::array<std::byte, sizeof(double)> zero{};
};

/// What was found before in this process, by shape: trying takes seconds and every epoch asks again.
std::map<ProductShape, Algorithm>& known_algorithms() {
  static std::map<ProductShape, Algorithm> known;
  return known;
}

}  // namespace

Dtype ProductShape::result_type() const {
  if (type == Dtype::f8) return Dtype::bf16;
  return type == Dtype::i8 ? Dtype::i32 : type;
}

Product::Product(CublasLt& library, const ProductShape& shape)
    : library_(library),
      shape_(shape),
      operation_(nullptr, library.table().desc_destroy),
      a_(layout(shape.type)),
      b_(layout(shape.type)),
      c_(layout(shape.result_type())),
      workspace_(workspace_bytes_allowed) {
  describe();
}

Product::Handle<cublasLtMatrixLayout_t> Product::layout(Dtype type) const {
  cublasLtMatrixLayout_t layout = nullptr;
  library_.check(
      library_.table().layout_create(&layout, data_type(type), shape_.n, shape_.n, static_cast<std::int64_t>(shape_.n)),
      "cublasLtMatrixLayoutCreate");
  return {layout, library_.table().layout_destroy};
}

void Product::describe() {
  const CublasLtTable& table = library_.table();
  cublasLtMatmulDesc_t operation = nullptr;
  library_.check(table.desc_create(&operation, compute_type(shape_.type), scale_type(shape_.type)),
                 "cublasLtMatmulDescCreate");
  operation_.reset(operation);
  const auto set = [&](cublasLtMatmulDescAttributes_t which, const auto& value) {
    library_.check(table.desc_set(operation, which, &value, sizeof value), "cublasLtMatmulDescSetAttribute");
  };
  set(CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_T);
  set(CUBLASLT_MATMUL_DESC_TRANSB, CUBLAS_OP_N);
  if (shape_.type != Dtype::f8) return;
  constexpr float one = 1;
  scales_ = Memory(sizeof one);
  check(cudaMemcpy(scales_.data(), &one, sizeof one, cudaMemcpyHostToDevice), "cudaMemcpy");
  const void* scale = scales_.data();
  set(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, scale);
  set(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, scale);
  set(CUBLASLT_MATMUL_DESC_FAST_ACCUM, std::int8_t{1});
}

std::vector<cublasLtMatmulHeuristicResult_t> Product::proposals() const {
  const CublasLtTable& table = library_.table();
  cublasLtMatmulPreference_t raw = nullptr;
  library_.check(table.preference_create(&raw), "cublasLtMatmulPreferenceCreate");
  const Handle<cublasLtMatmulPreference_t> preference(raw, table.preference_destroy);
  const std::size_t allowed = workspace_.size();
  library_.check(table.preference_set(raw, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &allowed, sizeof allowed),
                 "cublasLtMatmulPreferenceSetAttribute");
  std::vector<cublasLtMatmulHeuristicResult_t> found(proposals_wanted);
  int count = 0;
  const cublasStatus_t status = table.get_heuristic(library_.handle(), operation_.get(), a_.get(), b_.get(), c_.get(),
                                                    c_.get(), raw, proposals_wanted, found.data(), &count);
  library_.check(status,
                 fmt::format("cublasLtMatmulAlgoGetHeuristic for {} of order {}", to_string(shape_.type), shape_.n));
  found.resize(static_cast<std::size_t>(std::max(count, 0)));
  std::erase_if(found, [](const auto& one) { return one.state != CUBLAS_STATUS_SUCCESS; });
  return found;
}

cublasStatus_t Product::enqueue(const Stream& stream, const Operands& operands, const cublasLtMatmulAlgo_t& algorithm,
                                std::size_t workspace_bytes) const {
  const Factors factors(shape_.type);
  return library_.table().matmul(library_.handle(), operation_.get(), factors.one.data(), operands.a, a_.get(),
                                 operands.b, b_.get(), factors.zero.data(), operands.c, c_.get(), operands.c, c_.get(),
                                 &algorithm, workspace_.data(), workspace_bytes, stream.get());
}

std::optional<double> Product::seconds_of(const Stream& stream, const Operands& operands,
                                          const cublasLtMatmulAlgo_t& algorithm, std::size_t workspace_bytes) const {
  if (enqueue(stream, operands, algorithm, workspace_bytes) != CUBLAS_STATUS_SUCCESS) return std::nullopt;
  const Event start;
  const Event stop;
  start.record(stream);
  for (int i = 0; i < timed_repetitions; ++i)
    if (enqueue(stream, operands, algorithm, workspace_bytes) != CUBLAS_STATUS_SUCCESS) return std::nullopt;
  stop.record(stream);
  stream.synchronise("a trial product");
  return seconds_between(start, stop) / timed_repetitions;
}

std::string Product::words_for(const cublasLtMatmulAlgo_t& algorithm, std::size_t workspace_bytes) const {
  const auto part = [&](cublasLtMatmulAlgoConfigAttributes_t which) {
    std::uint32_t value = 0;
    std::size_t written = 0;
    const bool known =
        library_.table().config_get(&algorithm, which, &value, sizeof value, &written) == CUBLAS_STATUS_SUCCESS;
    return known ? fmt::format("{}", value) : std::string("?");
  };
  return fmt::format("cuBLASLt {} algo {} tile {} stages {} split-k {}, workspace {}", library_.version(),
                     part(CUBLASLT_ALGO_CONFIG_ID), part(CUBLASLT_ALGO_CONFIG_TILE_ID),
                     part(CUBLASLT_ALGO_CONFIG_STAGES_ID), part(CUBLASLT_ALGO_CONFIG_SPLITK_NUM),
                     format_quantity(static_cast<double>(workspace_bytes), Dimension::bytes));
}

Algorithm Product::fastest(const Stream& stream, const Operands& operands) const {
  Algorithm best{};
  double least = 0;
  int tried = 0;
  for (const auto& proposal : proposals()) {
    const auto seconds = seconds_of(stream, operands, proposal.algo, proposal.workspaceSize);
    if (!seconds) continue;
    if (tried++ == 0 || *seconds < least) {
      least = *seconds;
      best.choice = proposal.algo;
      best.workspace_bytes = proposal.workspaceSize;
    }
  }
  if (tried == 0)
    throw environment_error(fmt::format("cuBLASLt {} has no algorithm for {} of order {}, {}", library_.version(),
                                        to_string(shape_.type), shape_.n, device_place()));
  best.words = fmt::format("{}; best of {} tried", words_for(best.choice, best.workspace_bytes), tried);
  return best;
}

void Product::choose(const Stream& stream, const Operands& operands) {
  auto& known = known_algorithms();
  const auto found = known.find(shape_);
  if (found != known.end())
    best_ = &found->second;
  else
    best_ = &known.emplace(shape_, fastest(stream, operands)).first->second;
}

void Product::multiply(const Stream& stream, const Operands& operands) const {
  library_.check(enqueue(stream, operands, best_->choice, best_->workspace_bytes), "cublasLtMatmul");
}

double freivalds_bound(const ProductShape& shape) {
  const auto n = static_cast<double>(shape.n);
  const double root = std::sqrt(n);
  // Root mean square of random_number(): 1/sqrt(3) where uniform; e4m3: mantissas 8..15 of 128, times 1, 2, 4 or 8.
  constexpr double f8_mean_square = 137.5 / (128 * 128) * (1 + 4 + 16 + 64) / 4;
  const double element = (shape.type == Dtype::f8 ? f8_mean_square : 1.0 / 3) * root;  // rms of an element of C
  const double row = element * root;                                                   // and of a row of C x
  constexpr double beyond_chance = 8;
  switch (shape.type) {
    case Dtype::f64:
      return beyond_chance * 0x1p-53 * row * root;
    case Dtype::f32:
      return beyond_chance * 0x1p-24 * row * root;
    case Dtype::tf32:
      return beyond_chance * 0x1p-22 * row * root;
    case Dtype::bf16:
      return beyond_chance * (0x1p-9 * row + 0x1p-22 * row * root);
    case Dtype::f16:
      return beyond_chance * (0x1p-11 * row + 0x1p-22 * row * root);
    case Dtype::f8:
      return beyond_chance * (0x1p-9 + 0x1p-13 * n / 32) * row;
    case Dtype::i8:
    case Dtype::i32:
      return 0;
  }
  return 0;
}

}  // namespace assay::cuda
