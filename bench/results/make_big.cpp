// make_big FILE [SERIES [SAMPLES]]: a closed result file with that many series (10,000) and samples (1,000,000) of four
// ranks on one node, for the speed of readers; then the seconds of reading it.
#include <fmt/format.h>

#include <array>
#include <iostream>
#include <string>

#include "core/clock.hpp"
#include "core/error.hpp"
#include "core/random.hpp"
#include "results/reader.hpp"
#include "results/writer.hpp"

namespace assay::results {
namespace {

constexpr int ranks = 4;
constexpr int epochs = 5;

struct Kind {
  std::string name;
  std::string work_kind;
  std::string combine;
  double work_per_byte;
};

const std::array<Kind, 6>& kinds() {
  static const std::array<Kind, 6> all{{{"mpi.all_reduce", "bytes", "slowest", 1},
                                        {"mpi.all_gather", "bytes", "slowest", 1},
                                        {"mpi.all_to_all", "bytes", "slowest", 1},
                                        {"host.memory", "bytes", "concurrent", 4},
                                        {"host.gemm", "flops", "concurrent", 100},
                                        {"storage.random", "operations", "concurrent", 0.001}}};
  return all;
}

Series make_series(std::int64_t id, std::int64_t kept, Random& random) {
  const Kind& kind = kinds()[static_cast<std::size_t>(id) % kinds().size()];
  const std::int64_t point = id / (epochs * static_cast<std::int64_t>(kinds().size()));
  const double bytes = 8.0 * static_cast<double>(point + 1);
  Series series;
  series.row.case_name = kind.name;
  series.row.point = fmt::format("bytes:{}/ranks:all", 8 * (point + 1));
  series.row.epoch = static_cast<std::int32_t>(id / static_cast<std::int64_t>(kinds().size()) % epochs);
  series.row.status = "ok";
  series.row.ranks = ranks;
  series.row.kept = kept;
  series.row.iterations = kept;
  series.row.work_kind = kind.work_kind;
  series.row.work = bytes * kind.work_per_byte;
  series.row.direction = "none";
  series.row.timing = "per_rank";
  series.row.combine = kind.combine;
  series.row.stop_reason = "precise";
  series.row.checked = 1;
  series.row.start_time = 0.1 * static_cast<double>(id);
  series.row.end_time = series.row.start_time + 0.1;
  series.members = {0, 1, 2, 3};
  for (std::int64_t i = 0; i < ranks * kept; ++i) {
    series.samples.push_back((1e-6 + bytes / 1e10) * (1 + 0.02 * random.uniform()));
  }
  return series;
}

void write_big(const std::string& path, std::int64_t count, std::int64_t samples) {
  RunInfo run;
  run.run_id = "00000000000000bb";
  run.epochs = epochs;
  run.ranks = ranks;
  run.nodes = 1;
  Writer writer = Writer::create(path, run, true);
  NodeRow node;
  node.host = "node0";
  writer.append(std::vector{node});
  std::vector<RankRow> rows;
  for (int rank = 0; rank < ranks; ++rank) {
    rows.emplace_back();
    rows.back().rank = rank;
    rows.back().local_rank = rank;
  }
  writer.append(rows);
  Random random(1);
  for (std::int64_t id = 0; id < count; ++id) writer.append(make_series(id, samples / count / ranks, random));
  writer.finish("done", "");
}

void time_reading(const std::string& path) {
  const double start = monotonic_seconds();
  const Reader reader = Reader::open(path);
  const double opened = monotonic_seconds();
  const std::size_t samples = reader.all_samples().size();
  const double end = monotonic_seconds();
  fmt::print("{}: {} series in {:.3f} s, {} samples in {:.3f} s\n", path, reader.series().size(), opened - start,
             samples, end - opened);
}

}  // namespace
}  // namespace assay::results

int main(int argc, char** argv) {
  try {
    if (argc < 2 || argc > 4) throw assay::bad_input("usage: make_big FILE [SERIES [SAMPLES]]");
    const std::int64_t series = argc > 2 ? std::stoll(argv[2]) : 10'000;
    const std::int64_t samples = argc > 3 ? std::stoll(argv[3]) : 1'000'000;
    if (series < 1 || samples < 0) throw assay::bad_input("make_big: SERIES and SAMPLES are counts");
    assay::results::write_big(argv[1], series, samples);
    assay::results::time_reading(argv[1]);
    return 0;
  } catch (const assay::Error& error) {
    std::cerr << error.what() << '\n';
    return static_cast<int>(error.code());
  } catch (const std::logic_error& error) {
    std::cerr << "make_big: not a number: " << error.what() << '\n';
    return 2;
  }
}
