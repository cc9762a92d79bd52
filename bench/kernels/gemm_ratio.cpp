// host.gemm on one CPU against a bare loop around cblas_dgemm: gemm_ratio [order] [pairs] [OPENBLAS_CORETYPE]

#include <cstdlib>
#include <vector>

#include "bench/kernels/pairs.hpp"
#include "kernels/host/blas.hpp"
#include "kernels/host/gemm_check.hpp"

int main(int count, char** arguments) {
  using namespace assay;
  const int n = count > 1 ? std::atoi(arguments[1]) : 1024;
  const int pairs = count > 2 ? std::atoi(arguments[2]) : 40;
  const std::string kernel = count > 3 ? arguments[3] : "";

  bench::CaseRunner ours("host.gemm", fmt::format("n:{}/dtype:f64/ranks:one", n), {bench::allowed_cpus().front()},
                         kernel);
  const Blas blas(kernel);
  const auto elements = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
  BufferPool buffers;  // huge pages as the case has them
  const auto a = buffers.take(elements * sizeof(double)), b = buffers.take(elements * sizeof(double)),
             c = buffers.take(elements * sizeof(double));
  fill_uniform(a.as<double>(), 1);
  fill_uniform(b.as<double>(), 2);
  const auto bare = [&] {
    const double begin = monotonic_seconds();
    blas.table().dgemm(102, 111, 111, n, n, n, 1.0, a.as<double>().data(), n, b.as<double>().data(), n, 0.0,
                       c.as<double>().data(), n);
    return monotonic_seconds() - begin;
  };
  return bench::compare(fmt::format("gemm n {} {}", n, blas.corename()), ours, bare, pairs, 0.98);
}
