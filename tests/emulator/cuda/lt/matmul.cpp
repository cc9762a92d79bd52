#include "tests/emulator/cuda/lt/matmul.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <tuple>

#include "tests/emulator/cuda/contention.hpp"
#include "tests/emulator/cuda/engine.hpp"
#include "tests/emulator/cuda/faults.hpp"
#include "tests/emulator/cuda/lt/numbers.hpp"
#include "tests/emulator/cuda/twin.hpp"
#include "tests/emulator/model/noise.hpp"
#include "tests/emulator/model/windows.hpp"

namespace emulator::lt {
namespace {

/// Fewer tiles than multiprocessors leave some of those idle.
constexpr double tile = 128;

/// A matrix as the CPU finds it; element (row, column) of op(matrix).
class View {
 public:
  View(const Layout& layout, bool transposed, void* memory)
      : type_(layout.type),
        row_step_(transposed ? static_cast<std::size_t>(layout.leading) : 1),
        column_step_(transposed ? 1 : static_cast<std::size_t>(layout.leading)),
        memory_(static_cast<std::byte*>(memory)) {
    if (layout.order == CUBLASLT_ORDER_ROW) std::swap(row_step_, column_step_);
  }
  [[nodiscard]] double get(std::size_t row, std::size_t column) const {
    return load(type_, memory_, place(row, column));
  }
  void set(std::size_t row, std::size_t column, double value) const {
    store(type_, memory_, place(row, column), value);
  }
  /// One bit of the upper half of the element.
  void flip(std::size_t row, std::size_t column, std::uint64_t key) const {
    const std::size_t bytes = bytes_of(type_), bits = 8 * bytes, bit = bits / 2 + key % (bits / 2);
    memory_[place(row, column) * bytes + bit / 8] ^= std::byte{1} << (bit % 8);
  }

 private:
  [[nodiscard]] std::size_t place(std::size_t row, std::size_t column) const {
    return row * row_step_ + column * column_step_;
  }
  std::uint32_t type_;
  std::size_t row_step_, column_step_;
  std::byte* memory_;
};

std::size_t span_bytes(const Layout& layout) {
  const std::uint64_t lines = layout.order == CUBLASLT_ORDER_ROW ? layout.rows : layout.columns;
  const std::uint64_t each = layout.order == CUBLASLT_ORDER_ROW ? layout.columns : layout.rows;
  return ((lines - 1) * static_cast<std::uint64_t>(layout.leading) + each) * bytes_of(layout.type);
}

std::vector<std::size_t> worked_on(std::uint64_t length, double operations) {
  if (operations > window_threshold_flops) return row_window(length, Cluster::current().seed());
  std::vector<std::size_t> all(length);
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

/// What one launch computes: rows and inner indices of the window when the problem is large.
struct Product {
  Problem problem;
  Operands operands;
  View a, b, c, d;
  double scale = 1;  ///< Of fp8 operands, read when it runs.
  const float *scale_a = nullptr, *scale_b = nullptr;

  void compute() const;
  void damage(int count) const;
};

void Product::compute() const {
  const auto rows = worked_on(problem.m, problem.operations()), inner = worked_on(problem.k, problem.operations());
  const bool tf32 = problem.operation.compute == CUBLAS_COMPUTE_32F_FAST_TF32;
  const auto taken = [&](double value) { return tf32 ? rounded_to_tf32(value) : value; };
  const double factor = operands.alpha * (scale_a == nullptr ? 1 : static_cast<double>(*scale_a)) *
                        (scale_b == nullptr ? 1 : static_cast<double>(*scale_b));
  std::vector<double> left(rows.size() * inner.size()), column(inner.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t k = 0; k < inner.size(); ++k) left[i * inner.size() + k] = taken(a.get(rows[i], inner[k]));
  }
  for (std::size_t j = 0; j < problem.n; ++j) {
    for (std::size_t k = 0; k < inner.size(); ++k) column[k] = taken(b.get(inner[k], j));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double sum = factor * std::inner_product(column.begin(), column.end(),
                                                     left.begin() + static_cast<std::ptrdiff_t>(i * inner.size()), 0.0);
      d.set(rows[i], j, operands.beta == 0 ? sum : sum + operands.beta * c.get(rows[i], j));
    }
  }
}

// Only what is computed can be wrong: the wrong results of the whole product fall into its window.
void Product::damage(int count) const {
  const auto rows = worked_on(problem.m, problem.operations());
  for (int i = 0; i < count; ++i) {
    const std::uint64_t key = mix(mix(Cluster::current().seed(), memory_version()), static_cast<std::uint64_t>(i));
    d.flip(rows[key % rows.size()], mix(key) % problem.n, mix(key, 1));
  }
}

/// The product that was computed last in this process: doing it again would change nothing.
class Last {
 public:
  using Key = std::tuple<const void*, const void*, const void*, std::uint64_t, std::uint64_t, std::uint64_t,
                         std::uint32_t, std::int32_t, double>;
  bool repeats(const Key& key, std::uint64_t version) {
    const std::lock_guard lock(mutex_);
    const bool same = key_ == key && version_ == version;
    key_ = key;
    version_ = version;
    return same;
  }

 private:
  std::mutex mutex_;
  std::optional<Key> key_;
  std::uint64_t version_ = 0;
};

bool is_repeated(const Product& product) {
  static auto* const last = std::make_unique<Last>().release();
  const Problem& problem = product.problem;
  if (product.operands.beta != 0) return false;
  return last->repeats({product.operands.a, product.operands.b, product.operands.d, problem.m, problem.n, problem.k,
                        problem.a.type, problem.operation.compute, product.operands.alpha},
                       memory_version());
}

Cost cost_of(const Problem& problem, const Algorithm& algorithm, const Operands& operands, const Gpu& gpu, Type unit) {
  const auto tiles =
      std::ceil(static_cast<double>(problem.m) / tile) * std::ceil(static_cast<double>(problem.n) / tile);
  const double busy = std::min(1.0, tiles / gpu.sm_count);
  Cost cost;
  cost.operations = problem.operations() / (static_cast<double>(algorithm.efficiency) * busy);
  cost.type = unit;
  cost.accesses = {{operands.a, span_bytes(problem.a), false, 0},
                   {operands.b, span_bytes(problem.b), false, 0},
                   {operands.d, span_bytes(problem.d), true, 0}};
  return cost;
}

}  // namespace

cublasStatus_t enqueue_matmul(const Problem& problem, const Algorithm& algorithm, const Operands& operands,
                              cudaStream_t stream) {
  const Gpu& gpu = gpu_of(stream);
  Type unit{};
  if (!unit_of(problem, gpu, unit)) return CUBLAS_STATUS_NOT_SUPPORTED;
  const auto alias = [](const void* memory, const Layout& layout) { return host_alias(memory, span_bytes(layout)); };
  void* const a = alias(operands.a, problem.a);
  void* const b = alias(operands.b, problem.b);
  void* const d = alias(operands.d, problem.d);
  void* const c = operands.beta == 0 ? d : alias(operands.c, problem.c);
  if (a == nullptr || b == nullptr || c == nullptr || d == nullptr) {
    // The call does not look at memory; the kernel finds out.
    const auto fault = [](double) -> double { throw StreamFault(cudaErrorIllegalAddress); };
    enqueue(stream, {.name = "cublasLtMatmul", .run = fault, .resources = {}, .may_block = false});
    return CUBLAS_STATUS_SUCCESS;
  }
  const Operation& operation = problem.operation;
  const auto product = std::make_shared<Product>(Product{.problem = problem,
                                                         .operands = operands,
                                                         .a = {problem.a, operation.transpose_a != CUBLAS_OP_N, a},
                                                         .b = {problem.b, operation.transpose_b != CUBLAS_OP_N, b},
                                                         .c = {problem.c, false, c},
                                                         .d = {problem.d, false, d}});
  product->scale_a = static_cast<const float*>(host_alias(operation.scale_a, sizeof(float)));
  product->scale_b = static_cast<const float*>(host_alias(operation.scale_b, sizeof(float)));
  const Cost cost = cost_of(problem, algorithm, operands, gpu, unit);
  const auto run = [product, cost, &gpu](double start) {
    const int wrong =
        wrong_results(gpu, static_cast<double>(product->problem.m) * static_cast<double>(product->problem.n));
    if (!is_repeated(*product) || gpu.fault(FaultKind::wrong_results) != nullptr) {
      product->compute();
      note_write();
      is_repeated(*product);  // what was just written is what a repetition would write
    }
    if (wrong > 0) product->damage(wrong);
    return start + work_seconds(cost);
  };
  const cudaError_t code = enqueue(
      stream,
      {.name = "cublasLtMatmul", .run = run, .resources = {multiprocessors(gpu)}, .may_block = false, .writes = false});
  return code == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

}  // namespace emulator::lt
