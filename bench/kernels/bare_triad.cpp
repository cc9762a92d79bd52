#include "bench/kernels/bare_triad.hpp"

#include <omp.h>
#include <sched.h>
#include <sys/mman.h>

#include <cstdlib>

#include "core/clock.hpp"

namespace assay::bench {

namespace {

/// Huge pages as the case has them: the ratio is to show the harness and the loop, not the pages.
double* huge_array(std::ptrdiff_t count) {
  constexpr std::size_t page = std::size_t{2} << 20;
  const std::size_t bytes = (static_cast<std::size_t>(count) * sizeof(double) + page - 1) / page * page;
  void* memory = std::aligned_alloc(page, bytes);
  madvise(memory, bytes, MADV_HUGEPAGE);
  return static_cast<double*>(memory);
}

}  // namespace

BareTriad::BareTriad(const std::vector<int>& cpus, std::size_t doubles_per_cpu)
    : threads_(static_cast<int>(cpus.size())),
      count_(static_cast<std::ptrdiff_t>(doubles_per_cpu * cpus.size())),
      a_(huge_array(count_)),
      b_(huge_array(count_)),
      c_(huge_array(count_)) {
#pragma omp parallel num_threads(threads_)
  {
    cpu_set_t mask;
    CPU_ZERO(&mask);
    CPU_SET(static_cast<std::size_t>(cpus[static_cast<std::size_t>(omp_get_thread_num())]), &mask);
    sched_setaffinity(0, sizeof(mask), &mask);
#pragma omp for schedule(static)
    for (std::ptrdiff_t i = 0; i < count_; ++i) {
      a_[i] = 0;
      b_[i] = 1;
      c_[i] = 2;
    }
  }
}

BareTriad::~BareTriad() {
  std::free(a_);
  std::free(b_);
  std::free(c_);
}

double BareTriad::timed() {
  double* __restrict a = a_;
  const double* __restrict b = b_;
  const double* __restrict c = c_;
  const double begin = monotonic_seconds();
#pragma omp parallel for schedule(static) num_threads(threads_)
  for (std::ptrdiff_t i = 0; i < count_; ++i) a[i] = b[i] + 3.0 * c[i];
  return monotonic_seconds() - begin;
}

}  // namespace assay::bench
