#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "results/record.hpp"

namespace assay {

/// A whole run in memory: what every verdict is computed from, and nothing else.
struct RunData {
  results::RunInfo run;
  std::vector<results::NodeRow> nodes;
  std::vector<results::GpuRow> gpus;
  std::vector<results::NicRow> nics;
  std::vector<results::DiskRow> disks;
  std::vector<results::SoftwareRow> software;
  std::vector<results::RankRow> ranks;
  std::vector<results::SeriesRow> series;
  std::vector<results::EventRow> events;
  std::vector<std::int32_t> members;  ///< world ranks; SeriesRow::members is an offset in here
  std::vector<double> samples;        ///< seconds; SeriesRow::offset is an offset in here

  /// Throw Error(bad_input) naming the series when its row points outside of what is there.
  [[nodiscard]] std::span<const double> samples_of(const results::SeriesRow& row) const;
  [[nodiscard]] std::span<const std::int32_t> members_of(const results::SeriesRow& row) const;

  /// Node index of a world rank; -1 when the rank is not in the table.
  [[nodiscard]] int node_of(int rank) const;
  /// Nodes that these ranks sit on, ascending, each once; -1 among them when a rank is in no table.
  [[nodiscard]] std::vector<int> nodes_of(std::span<const int> ranks_asked) const;
  /// Host name of a node; "node N" when it is not in the table.
  [[nodiscard]] std::string host_of(int node) const;
  /// "rank 3 on node2", "ranks 0-3 on node1, node2", "ranks 0-63 on 8 nodes".
  [[nodiscard]] std::string describe(std::span<const int> ranks_asked) const;
};

/// Reads everything that judging needs. Errors as those of results::Reader.
[[nodiscard]] RunData load_run(const std::filesystem::path& path);

}  // namespace assay
