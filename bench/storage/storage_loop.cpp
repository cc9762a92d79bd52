// One storage case in the smallest harness there is: storage_loop CASE POINT DIRECTORY SECONDS
// Prints the rate over all timed iterations and the median iteration's, in operations/s or byte/s.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
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

int compare(const std::vector<std::string>& arguments) {
  const CaseInfo* info = builtin_cases().find(arguments.at(1));
  const auto point = Point::parse(arguments.at(2));
  if (info == nullptr || !point) throw bad_input("no such case, or a malformed point");
  SoloGroup group;
  BufferPool buffers;
  const MonotonicClock clock;
  const double seconds = std::stod(arguments.at(4));
  Context context{group, buffers, 1, Deadline(clock, Seconds(600)), {0}, arguments.at(3), {}};
  const auto benchmark = info->make(context, *point);
  measure(*benchmark, 1);
  const std::vector<double> samples = measure(*benchmark, seconds);
  const Check check = benchmark->verify();
  if (check.checked == 0 || check.wrong > 0) throw environment_error("wrong data: " + check.first);
  double total = 0;
  for (const double sample : samples) total += sample;
  const double mean = total / static_cast<double>(samples.size());
  fmt::print("{{\"rate\": {:.1f}, \"median_rate\": {:.1f}, \"iterations\": {}, \"checked\": {}}}\n",
             value_of(benchmark->work(), mean), value_of(benchmark->work(), median(samples)), samples.size(),
             check.checked);
  return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fputs("usage: storage_loop CASE POINT DIRECTORY SECONDS\n", stderr);
    return 2;
  }
  try {
    return compare(std::vector<std::string>(argv, argv + argc));
  } catch (const std::exception& error) {
    fmt::print(stderr, "storage_loop: {}\n", error.what());
    return 4;
  }
}
