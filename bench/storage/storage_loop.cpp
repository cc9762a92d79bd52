// One storage case in the smallest harness there is: storage_loop CASE POINT DIRECTORY SECONDS
// Measures once for each line of its input and prints the rate over all timed iterations and the median iteration's, in
// operations/s or byte/s. Its file stays open in between, so that others can measure on the same blocks of the disk.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <numeric>
#include <string>
#include <vector>

#include "core/case.hpp"
#include "core/error.hpp"
#include "core/registry.hpp"
#include "core/statistics.hpp"

namespace {

using namespace assay;

std::vector<double> measure(Case& benchmark, double seconds) {
  std::vector<double> samples;
  benchmark.begin();
  for (const double end = monotonic_seconds() + seconds; monotonic_seconds() < end;) {
    const double start = monotonic_seconds();
    benchmark.run();
    samples.push_back(monotonic_seconds() - start);
  }
  benchmark.end();
  return samples;
}

void print_rates(Case& benchmark, const std::vector<double>& samples) {
  const Check check = benchmark.verify();
  if (check.checked == 0 || check.wrong > 0) throw environment_error("wrong data: " + check.first);
  const double mean = std::accumulate(samples.begin(), samples.end(), 0.0) / static_cast<double>(samples.size());
  fmt::print("{{\"rate\": {:.1f}, \"median_rate\": {:.1f}, \"iterations\": {}, \"checked\": {}}}\n",
             value_of(benchmark.work(), mean), value_of(benchmark.work(), median(samples)), samples.size(),
             check.checked);
  std::fflush(stdout);
}

int serve(const std::vector<std::string>& arguments) {
  const CaseInfo* info = builtin_cases().find(arguments.at(1));
  const auto point = Point::parse(arguments.at(2));
  if (info == nullptr || !point) throw bad_input("no such case, or a malformed point");
  SoloGroup group;
  BufferPool buffers;
  const MonotonicClock clock;
  const double seconds = std::stod(arguments.at(4));
  Context context{group, buffers, 1, Deadline(clock, Seconds(600)), {0}, arguments.at(3), {}};
  auto benchmark = info->make(context, *point);
  fmt::print("ready\n");
  std::fflush(stdout);
  for (std::string line; std::getline(std::cin, line);) {
    benchmark = info->make(context, *point);  // which knows nothing of blocks that others have overwritten since
    measure(*benchmark, 1);
    print_rates(*benchmark, measure(*benchmark, seconds));
  }
  return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fputs("usage: storage_loop CASE POINT DIRECTORY SECONDS\n", stderr);
    return 2;
  }
  try {
    return serve(std::vector<std::string>(argv, argv + argc));
  } catch (const std::exception& error) {
    fmt::print(stderr, "storage_loop: {}\n", error.what());
    return 4;
  }
}
