#include "kernels/host/stream.hpp"

#include <array>

#if defined(__GNUC__) && !defined(__clang__)
// A call of memcpy in place of the loop would use non-temporal stores.
#pragma GCC optimize("no-tree-loop-distribute-patterns")
#endif

namespace assay::stream {
namespace {

#if defined(__x86_64__)
template <class Loop>
[[gnu::target("avx512f,avx512vl,avx512bw,avx512dq"), gnu::noinline]] void run_avx512(const Loop& loop) {
  loop();
}

template <class Loop>
[[gnu::target("avx2"), gnu::noinline]] void run_avx2(const Loop& loop) {
  loop();
}
#endif

template <class Loop>
[[gnu::noinline]] void run_generic(const Loop& loop) {
  loop();
}

/// Runs a loop that is always inlined, so that it is compiled once for each function above.
template <class Loop>
void run(const Loop& loop) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq")) {
    return run_avx512(loop);
  }
  if (__builtin_cpu_supports("avx2")) return run_avx2(loop);
#endif
  run_generic(loop);
}

}  // namespace

void write(std::span<double> a, double value) {
  run([=]() __attribute__((always_inline)) {
    double* __restrict out = a.data();
    for (std::size_t i = 0; i < a.size(); ++i) out[i] = value;
  });
}

void copy(std::span<double> a, const double* b) {
  run([=]() __attribute__((always_inline)) {
    double* __restrict out = a.data();
    const double* __restrict in = b;
    for (std::size_t i = 0; i < a.size(); ++i) out[i] = in[i];
  });
}

void scale(std::span<double> a, const double* b, double factor) {
  run([=]() __attribute__((always_inline)) {
    double* __restrict out = a.data();
    const double* __restrict in = b;
    for (std::size_t i = 0; i < a.size(); ++i) out[i] = factor * in[i];
  });
}

void add(std::span<double> a, const double* b, const double* c) {
  run([=]() __attribute__((always_inline)) {
    double* __restrict out = a.data();
    const double* __restrict left = b;
    const double* __restrict right = c;
    for (std::size_t i = 0; i < a.size(); ++i) out[i] = left[i] + right[i];
  });
}

void triad(std::span<double> a, const double* b, const double* c, double factor) {
  run([=]() __attribute__((always_inline)) {
    double* __restrict out = a.data();
    const double* __restrict left = b;
    const double* __restrict right = c;
    for (std::size_t i = 0; i < a.size(); ++i) out[i] = left[i] + factor * right[i];
  });
}

double sum(std::span<const double> b) {
  std::array<double, 64> lanes{};  // enough independent sums to hide the latency of an addition
  run([&lanes, b ]() __attribute__((always_inline)) {
    const double* __restrict in = b.data();
    const std::size_t whole = b.size() / 64 * 64;
    std::array<double, 64> sums{};
    for (std::size_t i = 0; i < whole; i += 64) {
      for (std::size_t lane = 0; lane < 64; ++lane) sums[lane] += in[i + lane];
    }
    for (std::size_t i = whole; i < b.size(); ++i) sums[0] += in[i];
    lanes = sums;
  });
  double total = 0;
  for (const double lane : lanes) total += lane;
  return total;
}

void fill(std::span<double> array, std::uint32_t seed) {
  run([=]() __attribute__((always_inline)) {
    double* __restrict out = array.data();
    for (std::size_t i = 0; i < array.size(); ++i) out[i] = value_at(i, seed);
  });
}

std::uint64_t count_wrong(std::span<const double> array, const Expectation& expected) {
  std::uint64_t wrong = 0;
  run([&wrong, array, expected ]() __attribute__((always_inline)) {
    const double* __restrict in = array.data();
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < array.size(); ++i) count += in[i] == expected.at(i) ? 0 : 1;
    wrong = count;
  });
  return wrong;
}

}  // namespace assay::stream
