// results_make_example FILE: a small result file whose medians are known to example_test.sh.
#include <iostream>

#include "core/error.hpp"
#include "results/writer.hpp"

namespace assay::results {
namespace {

Series example_series(const std::string& name, const std::string& combine, const std::string& kind, double work) {
  Series series;
  series.row.case_name = name;
  series.row.point = "bytes:8";
  series.row.status = "ok";
  series.row.ranks = 2;
  series.row.kept = 3;
  series.row.combine = combine;
  series.row.work_kind = kind;
  series.row.work = work;
  series.members = {0, 1};
  return series;
}

void write_example(const std::string& path) {
  RunInfo run;
  run.run_id = "00000000000000ab";
  run.ranks = 2;
  Writer writer = Writer::create(path, run, false);

  Series slowest = example_series("mpi.all_reduce", "slowest", "bytes", 8);
  slowest.row.bus_factor = 2;
  slowest.samples = {1, 5, 3, 2, 1, 4};  // per iteration 2, 5, 4: median 4
  writer.append(slowest);
  slowest.row.epoch = 1;
  slowest.samples = {2, 2, 2, 1, 1, 1};  // 2; median of the epochs: 3
  writer.append(slowest);

  Series concurrent = example_series("host.memory", "concurrent", "bytes", 12);
  concurrent.samples = {1, 1, 1, 3, 3, 3};  // harmonic mean of 1 and 3: 1.5
  writer.append(concurrent);

  Series latency = example_series("host.latency", "slowest", "latency", 10);
  latency.samples = {5, 5, 5, 5, 5, 5};
  writer.append(latency);

  Series failed = example_series("mpi.all_reduce", "slowest", "bytes", 8);
  failed.row.status = "failed";
  failed.samples = {100, 100, 100, 100, 100, 100};
  writer.append(failed);
  writer.finish("done", "");
}

}  // namespace
}  // namespace assay::results

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: results_make_example FILE\n";
    return 2;
  }
  try {
    assay::results::write_example(argv[1]);
    return 0;
  } catch (const assay::Error& error) {
    std::cerr << error.what() << '\n';
    return static_cast<int>(error.code());
  }
}
