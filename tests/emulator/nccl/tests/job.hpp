#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace emulator::nccl::tests {

/// What the ranks of a job said and how they ended.
struct Outcome {
  std::map<std::pair<int, std::string>, std::string> said;  ///< (rank, name) -> value
  std::vector<int> exit_codes;                              ///< Per rank; minus the signal that ended it.
  std::string errors;                                       ///< All that they wrote to stderr.
  std::string lines;                                        ///< Every other line of stdout.
  double wall_seconds = 0;

  [[nodiscard]] bool sound() const;
  /// NaN when the rank did not say it.
  [[nodiscard]] double number(int rank, const std::string& name) const;
  [[nodiscard]] std::string text(int rank, const std::string& name) const;
};

/// A job of ranks of emulator_nccl_rank on an emulated cluster.
struct Job {
  std::string cluster;  ///< File name under clusters/.
  std::string scenario;
  int ranks = 2, per_node = 8;
  std::vector<std::string> words{};
  std::string faults{};  ///< Text of an overlay.
  std::vector<std::pair<std::string, std::string>> environment{};
  bool same_gpu = false;  ///< All ranks of a node use its first card.

  [[nodiscard]] Outcome run() const;
};

}  // namespace emulator::nccl::tests
