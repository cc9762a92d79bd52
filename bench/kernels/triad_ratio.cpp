// host.memory triad on all CPUs, or on the number given, against a bare OpenMP loop: triad_ratio [CPUs] [pairs]

#include <cstdlib>

#include "bench/kernels/bare_triad.hpp"
#include "bench/kernels/pairs.hpp"

int main(int count, char** arguments) {
  using namespace assay;
  std::vector<int> cpus = bench::allowed_cpus();
  if (count > 1) cpus.resize(std::min(cpus.size(), static_cast<std::size_t>(std::max(1, std::atoi(arguments[1])))));
  const int pairs = count > 2 ? std::atoi(arguments[2]) : 60;
  constexpr std::size_t bytes = std::size_t{64} << 20;

  bench::BareTriad bare(cpus, bytes / sizeof(double));
  bench::CaseRunner ours("host.memory", fmt::format("bytes:{}/op:triad/ranks:all", bytes), cpus);
  return bench::compare(
      fmt::format("triad 3 x 64 MiB on each of {} CPUs", cpus.size()), ours, [&bare] { return bare.timed(); }, pairs,
      0.98);
}
