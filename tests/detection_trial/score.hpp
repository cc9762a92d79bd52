#pragma once

#include <array>
#include <string>
#include <vector>

#include "analysis/locate/locate.hpp"
#include "analysis/locate/stragglers.hpp"
#include "tests/detection_trial/synthetic_cluster.hpp"

namespace trial {

/// Severities are counted in these steps: [0.05, 0.051) is the smallest asked for.
inline constexpr std::array<double, 7> severity_steps{0.05, 0.051, 0.1, 0.2, 0.4, 0.7, 1.0};
[[nodiscard]] int step_of(double severity);

struct Tally {
  int faults = 0;
  int found = 0;
};

/// Counts over many clusters.
struct Score {
  std::array<std::array<Tally, severity_steps.size()>, fault_kinds> kinds{};
  int healthy = 0, healthy_with_alarm = 0, alarms_in_healthy = 0;
  int findings = 0, right = 0;     ///< in faulty clusters
  int unseen = 0;                  ///< faults left out by the rule
  std::vector<std::string> notes;  ///< misses, wrong parts and alarms, one line each

  [[nodiscard]] Tally at_least(double severity) const;
  [[nodiscard]] Tally in_step(int step) const;
};

/// Holds what was found in one cluster against what was planted.
void count(Score& score, const Cluster& cluster, const assay::locate::Localisation& found,
           const std::vector<assay::locate::Straggler>& stragglers, const std::string& cluster_name);

/// The table, and whether the bars are met.
[[nodiscard]] std::string table_of(const Score& score);
[[nodiscard]] bool meets_bars(const Score& score);

}  // namespace trial
