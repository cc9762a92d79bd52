// Time and memory of judging a run of 10,000 series and 1e6 samples: reading the file, judging, printing.
// analysis_bench write FILE     makes the file
// analysis_bench judge FILE     judges it 7 times; prints the median time and the peak memory of the process
// Bounds: 0.5 s, 200 MiB.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/report.hpp"
#include "core/clock.hpp"
#include "core/error.hpp"
#include "core/statistics.hpp"
#include "results/writer.hpp"
#include "synthetic.hpp"

namespace assay {
namespace {

constexpr int nodes = 16;
constexpr int ranks_per_node = 4;
constexpr int wanted_series = 10'000;
constexpr int wanted_samples = 1'000'000;

constexpr std::string_view offer_text = R"([cluster]
nodes = 16
[node]
cpu_cores = 4
compute_fp64 = "40 GFLOP/s"
memory_bandwidth = "20 GB/s"
[network]
pair_bandwidth = { value = "5 GB/s", direction = "one_way", from = "1 MiB" }
pair_latency = { value = "1 us", to = "8 B" }
all_reduce = { busbw = "4 GB/s", from = "1 MiB" }
[scaling]
efficiency = 0.9
)";

/// The series of a healthy run of 64 ranks, cut or filled with collectives to exactly the wanted numbers.
std::vector<results::Series> make_series(test::SyntheticRun& run) {
  run.plant_everything();
  const std::vector<int> all = run.all_ranks();
  while (run.data().series.size() < wanted_series) {
    run.plant({.case_name = "mpi.all_reduce",
               .point = "bytes:4194304/dtype:f32/ranks:all",
               .members = all,
               .bus_factor = 1.5,
               .value = 4e9});
  }
  std::vector<results::Series> series;
  std::int64_t samples = 0;
  for (std::size_t i = 0; i < wanted_series; ++i) {
    const results::SeriesRow& row = run.data().series[i];
    const auto members = run.data().members_of(row);
    const auto seconds = run.data().samples_of(row);
    series.push_back({row, {members.begin(), members.end()}, {seconds.begin(), seconds.end()}, {}});
    samples += row.count;
  }
  for (std::size_t i = 0; samples < wanted_samples; i = (i + 1) % series.size()) {
    results::Series& s = series[i];  // one more iteration on each rank, at the set's usual time
    if (s.row.ranks > 2) continue;
    const double usual = median(s.samples);
    s.samples.insert(s.samples.end(), static_cast<std::size_t>(s.row.ranks), usual);
    ++s.row.kept;
    ++s.row.iterations;
    s.row.count = s.row.kept * s.row.ranks;
    samples += s.row.ranks;
  }
  return series;
}

void write(const std::string& path) {
  test::SyntheticRun run(nodes, ranks_per_node);
  results::Writer writer = results::Writer::create(path, run.data().run, true);
  writer.append(run.data().nodes);
  writer.append(run.data().ranks);
  for (const results::Series& series : make_series(run)) (void)writer.append(series);
  writer.finish("done", "");
}

void judge(const std::string& path) {
  std::vector<double> seconds;
  std::size_t length = 0;
  std::size_t samples = 0;
  std::size_t series = 0;
  for (int repeat = 0; repeat < 7; ++repeat) {
    const double start = monotonic_seconds();
    const RunData run = load_run(path);
    length = report_text(test::judge(run, std::string(offer_text)), false).size();
    seconds.push_back(monotonic_seconds() - start);
    samples = run.samples.size();
    series = run.series.size();
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const double mebibytes = static_cast<double>(usage.ru_maxrss) / 1024;
  fmt::print("{} series, {} samples, report of {} characters\n", series, samples, length);
  fmt::print("median {:.3f} s (bound 0.5, ratio {:.2f}), peak {:.0f} MiB (bound 200, ratio {:.2f})\n", median(seconds),
             median(seconds) / 0.5, mebibytes, mebibytes / 200);
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) try {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() == 2 && arguments[0] == "write") {
    assay::write(arguments[1]);
  } else if (arguments.size() == 2 && arguments[0] == "judge") {
    assay::judge(arguments[1]);
  } else {
    throw assay::bad_input("usage: analysis_bench write|judge FILE");
  }
  return 0;
} catch (const assay::Error& error) {
  fmt::print(stderr, "{}\n", error.what());
  return static_cast<int>(error.code());
}
