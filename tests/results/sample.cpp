#include "tests/results/sample.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <numeric>
#include <stdexcept>

namespace assay::results {

RunInfo sample_run() {
  auto run = distinct_row<RunInfo>(3);
  run.run_id = "0123456789abcdef";
  return run;
}

double sample_value(std::int64_t series, std::size_t index) {
  return static_cast<double>(series) + static_cast<double>(index) / 1e6;
}

Series sample_series(std::int64_t series, int ranks, int kept) {
  Series result;
  result.row = distinct_row<SeriesRow>(static_cast<int>(series));
  result.row.flags = 0;
  result.row.ranks = ranks;
  result.row.kept = kept;
  result.members.resize(static_cast<std::size_t>(ranks));
  std::iota(result.members.begin(), result.members.end(), 0);
  for (std::size_t i = 0; i < static_cast<std::size_t>(ranks * kept); ++i) {
    result.samples.push_back(sample_value(series, i));
  }
  return result;
}

std::string read_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_bytes(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace assay::results
