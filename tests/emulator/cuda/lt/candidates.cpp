#include <algorithm>
#include <array>

#include "tests/emulator/cuda/lt/matmul.hpp"
#include "tests/emulator/cuda/lt/numbers.hpp"
#include "tests/emulator/model/noise.hpp"

namespace emulator::lt {
namespace {

constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;

/// Kinds of kernels: what share of the best one's rate each reaches, and what it needs beside the operands.
struct Kind {
  float efficiency;
  std::uint64_t workspace_bytes;
  std::uint32_t split_k;
};
constexpr std::array<Kind, 10> kinds = {{{1.00F, 0, 1},
                                         {0.985F, 32 * mebibyte, 1},
                                         {0.97F, 0, 1},
                                         {0.95F, 4 * mebibyte, 2},
                                         {0.93F, 0, 1},
                                         {0.90F, 0, 1},
                                         {0.84F, 16 * mebibyte, 4},
                                         {0.77F, 0, 1},
                                         {0.66F, 0, 1},
                                         {0.50F, 0, 1}}};
/// The best one is at most so far down the list.
constexpr std::size_t best_within = 4;

bool one_of(std::uint32_t type, std::initializer_list<cudaDataType_t> types) {
  return std::any_of(types.begin(), types.end(), [&](auto one) { return static_cast<std::uint32_t>(one) == type; });
}

bool transposed_normal(const Problem& problem) {
  return problem.operation.transpose_a == CUBLAS_OP_T && problem.operation.transpose_b == CUBLAS_OP_N;
}

bool multiples_of(const Problem& problem, std::uint64_t step) {
  return problem.m % step == 0 && problem.n % step == 0 && problem.k % step == 0;
}

/// Single precision accumulation, by the type of the operands.
bool unit_of_32f(const Problem& problem, const Gpu& gpu, Type& type) {
  const auto in = problem.a.type, out = problem.d.type;
  const bool quick = problem.operation.compute == CUBLAS_COMPUTE_32F_FAST_TF32;
  if (in == CUDA_R_32F && out == CUDA_R_32F) {
    type = quick ? Type::tf32 : Type::fp32;
    return true;
  }
  if (quick) return false;
  if (in == CUDA_R_16F && one_of(out, {CUDA_R_16F, CUDA_R_32F})) {
    type = Type::fp16;
    return true;
  }
  if (in == CUDA_R_16BF && one_of(out, {CUDA_R_16BF, CUDA_R_32F})) {
    type = Type::bf16;
    return true;
  }
  type = Type::fp8;
  const int capability = 10 * gpu.product->compute_major + gpu.product->compute_minor;
  return in == CUDA_R_8F_E4M3 && one_of(out, {CUDA_R_16BF, CUDA_R_16F, CUDA_R_32F, CUDA_R_8F_E4M3}) &&
         capability >= 89 && transposed_normal(problem) && multiples_of(problem, 16);
}

}  // namespace

bool unit_of(const Problem& problem, const Gpu& gpu, Type& type) {
  const Operation& operation = problem.operation;
  if (problem.a.type != problem.b.type || problem.c.type != problem.d.type) return false;
  if (operation.epilogue != CUBLASLT_EPILOGUE_DEFAULT || operation.transpose_c != CUBLAS_OP_N) return false;
  bool possible = false;
  switch (operation.compute) {
    case CUBLAS_COMPUTE_64F:
      type = gpu.product->peak(Type::fp64_tensor) > 0 ? Type::fp64_tensor : Type::fp64;
      possible = problem.a.type == CUDA_R_64F && problem.d.type == CUDA_R_64F && operation.scale == CUDA_R_64F;
      break;
    case CUBLAS_COMPUTE_32F:
    case CUBLAS_COMPUTE_32F_FAST_TF32:
      possible = operation.scale == CUDA_R_32F && unit_of_32f(problem, gpu, type);
      break;
    case CUBLAS_COMPUTE_32I:
      type = Type::int8;
      possible = problem.a.type == CUDA_R_8I && problem.d.type == CUDA_R_32I && operation.scale == CUDA_R_32I &&
                 transposed_normal(problem) && multiples_of(problem, 4);
      break;
    default:
      break;
  }
  return possible && gpu.product->peak(type) > 0;
}

std::vector<Algorithm> candidates(const Problem& problem, const Gpu& gpu, const Preference& preference) {
  Type unit{};
  if (!unit_of(problem, gpu, unit)) return {};
  std::vector<Algorithm> list;
  for (std::size_t index = 0; index < kinds.size(); ++index) {
    const Kind& kind = kinds[index];
    if (kind.workspace_bytes > preference.workspace_bytes) continue;
    list.push_back({.magic = algorithm_magic,
                    .id = 60 + static_cast<int>(unit),
                    .tile = CUBLASLT_MATMUL_TILE_128x128 + static_cast<std::uint32_t>(index % 4),
                    .stages = CUBLASLT_MATMUL_STAGES_64x3 + static_cast<std::uint32_t>(index / 4),
                    .split_k = kind.split_k,
                    .efficiency = kind.efficiency,
                    .workspace_bytes = kind.workspace_bytes});
  }
  // Which one comes out first depends on the shape, as the guess of a heuristic does.
  const std::uint64_t key = mix(mix(problem.m, problem.n), mix(problem.k, static_cast<std::uint64_t>(unit)));
  std::rotate(list.begin(), list.begin() + 1, list.begin() + 1 + static_cast<std::ptrdiff_t>(key % best_within));
  return list;
}

}  // namespace emulator::lt
