// Detection trial: detection_trial [CLUSTERS] [SEED] [MOST_NODES] [-v]. Half of the clusters are healthy, the others
// have 1 to 3 faults. Prints recall by kind and severity, false alarms and the share of findings that name the right
// part; returns 1 when a bar is missed. docs/detection-trial.md says what is drawn from what.
#include <fmt/format.h>
#include <sys/resource.h>

#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "analysis/locate/from_run.hpp"
#include "analysis/locate/locate.hpp"
#include "analysis/locate/stragglers.hpp"
#include "core/clock.hpp"
#include "tests/detection_trial/recording.hpp"
#include "tests/detection_trial/score.hpp"

namespace {

/// 1 to `most` nodes, small ones as often as large ones (log-uniform).
int draw_nodes(std::mt19937_64& random, int most) {
  const double share = std::uniform_real_distribution<double>(0, 1)(random);
  return static_cast<int>(std::exp(share * std::log(most + 0.999)));
}

void run_one(trial::Score& score, std::uint64_t seed, int nodes, bool faulty, double& analysis_seconds) {
  trial::Cluster cluster(seed, nodes, faulty);
  const assay::RunData run = trial::record(cluster, seed);
  const double start = assay::monotonic_seconds();
  const auto matrices = assay::locate::pair_matrices(run);
  const auto found = assay::locate::locate(matrices, assay::locate::names_of(run));
  const auto stragglers = assay::locate::find_stragglers(run);
  analysis_seconds += assay::monotonic_seconds() - start;
  trial::count(score, cluster, found, stragglers, fmt::format("seed {} nodes {}", seed, nodes));
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  const bool verbose = !arguments.empty() && arguments.back() == "-v";
  if (verbose) arguments.pop_back();
  const auto number = [&](std::size_t i, long usual) {
    return arguments.size() > i ? std::strtol(arguments[i].c_str(), nullptr, 10) : usual;
  };
  const long clusters = number(0, 2000);
  const long seed = number(1, 1);
  const int most_nodes = static_cast<int>(number(2, 256));
  trial::Score score;
  double analysis_seconds = 0;
  std::mt19937_64 random(static_cast<std::uint64_t>(seed));
  for (long i = 0; i < clusters; ++i) {
    const int nodes = draw_nodes(random, most_nodes);
    run_one(score, random(), nodes, i % 2 == 1, analysis_seconds);
  }
  if (verbose) {
    for (const auto& note : score.notes) fmt::print("{}\n", note);
  }
  fmt::print("{} clusters of 1 to {} nodes, seed {}\n{}", clusters, most_nodes, seed, trial::table_of(score));
  fmt::print("analysis: {:.1f} s for all\n", analysis_seconds);
  return trial::meets_bars(score) ? 0 : 1;
}
