#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "results/record.hpp"

namespace assay {

/// What one GPU reported at one moment. NaN: not read then.
struct GpuMoment {
  double time = 0;                                                        ///< seconds since the start of the run
  double sm_clock = std::numeric_limits<double>::quiet_NaN();             ///< Hz
  double power = std::numeric_limits<double>::quiet_NaN();                ///< W
  double temperature = std::numeric_limits<double>::quiet_NaN();          ///< degC
  double clock_event_reasons = std::numeric_limits<double>::quiet_NaN();  ///< bits of NVML, a whole number
  double pcie_generation = std::numeric_limits<double>::quiet_NaN();
  double pcie_width = std::numeric_limits<double>::quiet_NaN();
  double ecc_uncorrected = std::numeric_limits<double>::quiet_NaN();
  double nvlink_errors = std::numeric_limits<double>::quiet_NaN();
};

/// Node, and GPU on the node.
using GpuKey = std::pair<int, int>;

/// A whole run in memory: what every verdict is computed from, and nothing else.
struct RunData {
  results::RunInfo run;
  std::vector<results::NodeRow> nodes;
  std::vector<results::GpuRow> gpus;         ///< all but the hidden ones
  std::vector<results::GpuRow> hidden_gpus;  ///< on the bus of a node, but not shown to this job
  std::vector<results::NicRow> nics;
  std::vector<results::DiskRow> disks;
  std::vector<results::SoftwareRow> software;
  std::vector<results::RankRow> ranks;
  std::vector<results::SeriesRow> series;
  std::vector<results::EventRow> events;
  std::map<GpuKey, std::vector<GpuMoment>> gpu_moments;  ///< telemetry of the GPUs, by ascending time
  std::vector<std::int32_t> members;                     ///< world ranks; SeriesRow::members is an offset in here
  std::vector<double> samples;                           ///< seconds; SeriesRow::offset is an offset in here

  /// Throw Error(bad_input) naming the series when its row points outside of what is there.
  [[nodiscard]] std::span<const double> samples_of(const results::SeriesRow& row) const;
  [[nodiscard]] std::span<const std::int32_t> members_of(const results::SeriesRow& row) const;

  /// Node index of a world rank; -1 when the rank is not in the table.
  [[nodiscard]] int node_of(int rank) const;
  /// Nodes that these ranks sit on, ascending, each once; -1 among them when a rank is in no table.
  [[nodiscard]] std::vector<int> nodes_of(std::span<const int> ranks_asked) const;
  /// Host name of a node; "node N" when it is not in the table.
  [[nodiscard]] std::string host_of(int node) const;
  /// Takes in the table of GPUs.
  void add_gpus(std::vector<results::GpuRow> rows);

  /// Takes in a row of telemetry that speaks of a GPU; others are left. Rows come in the order of time.
  void add_telemetry(const results::TelemetryRow& row);

  /// The GPU that a rank measures on; nullptr when it has none, or the table does not hold it.
  [[nodiscard]] const results::GpuRow* gpu_of(int rank) const;

  /// "rank 3 on node2", "ranks 0-3 on node1, node2", "ranks 0-63 on 8 nodes".
  [[nodiscard]] std::string describe(std::span<const int> ranks_asked) const;
};

/// Can be measured on: neither lost nor without a driver.
[[nodiscard]] bool is_usable(const results::GpuRow& gpu);

/// Reads everything that judging needs. Errors as those of results::Reader.
[[nodiscard]] RunData load_run(const std::filesystem::path& path);

}  // namespace assay
