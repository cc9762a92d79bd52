// writer_cost DIRECTORY: seconds of one Writer::append of 4 ranks x 2000 samples, beside a bare write of as many bytes
// to a file in the same directory, interleaved; then the cost of closing. Wanted: append < 2 ms.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <vector>

#include "core/clock.hpp"
#include "core/error.hpp"
#include "core/statistics.hpp"
#include "results/writer.hpp"

namespace assay::results {
namespace {

constexpr int series_count = 500;
constexpr int ranks = 4;
constexpr int kept = 2000;

Series series_of_ones() {
  Series series;
  series.row.case_name = "mpi.all_reduce";
  series.row.point = "bytes:8";
  series.row.ranks = ranks;
  series.row.kept = kept;
  series.members = {0, 1, 2, 3};
  series.samples.assign(static_cast<std::size_t>(ranks) * kept, 1e-6);
  return series;
}

template <class Work>
double seconds_of(Work&& work) {
  const double start = monotonic_seconds();
  work();
  return monotonic_seconds() - start;
}

void measure(const std::filesystem::path& directory) {
  const auto path = directory / "writer_cost.h5";
  const auto bare_path = directory / "writer_cost.bare";
  RunInfo run;
  run.run_id = "00000000000000cc";
  Writer writer = Writer::create(path, run, false);
  const int bare = open(bare_path.c_str(), O_CREAT | O_EXCL | O_WRONLY, 0600);
  if (bare < 0) throw system_error(ExitCode::bad_input, "cannot create", bare_path.string(), errno);
  const Series series = series_of_ones();
  const std::size_t bytes = series.samples.size() * sizeof(double);
  std::vector<double> append_seconds;
  std::vector<double> bare_seconds;
  bool short_write = false;
  for (int i = 0; i < series_count; ++i) {
    append_seconds.push_back(seconds_of([&] { writer.append(series); }));
    bare_seconds.push_back(
        seconds_of([&] { short_write |= write(bare, series.samples.data(), bytes) != static_cast<ssize_t>(bytes); }));
  }
  const double finish_seconds = seconds_of([&] { writer.finish("done", ""); });
  close(bare);
  std::filesystem::remove(path);
  std::filesystem::remove(bare_path);
  if (short_write) throw environment_error("the bare write was cut short");
  fmt::print("append of {} x {} samples: median {:.3f} ms, 99 % {:.3f} ms; bare write: median {:.3f} ms\n", ranks, kept,
             1e3 * median(append_seconds), 1e3 * quantile(append_seconds, 0.99), 1e3 * median(bare_seconds));
  fmt::print("finish with compressed copy of {} series: {:.3f} s\n", series_count, finish_seconds);
}

}  // namespace
}  // namespace assay::results

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: writer_cost DIRECTORY\n";
    return 2;
  }
  try {
    assay::results::measure(argv[1]);
    return 0;
  } catch (const assay::Error& error) {
    std::cerr << error.what() << '\n';
    return static_cast<int>(error.code());
  }
}
