#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/locate/pair_matrix.hpp"
#include "analysis/locate/part.hpp"
#include "analysis/locate/search.hpp"
#include "analysis/locate/topology.hpp"
#include "core/statistics.hpp"

namespace assay::locate {

/// One culprit, with what speaks for it.
struct Finding {
  std::vector<Part> parts;   ///< the first is named first; more: no measurement tells them apart
  double factor = 1;         ///< cost of what crosses it over that of its peers: 2 = half the rate, twice the latency
  Interval factor_interval;  ///< 95 %
  int slow_rows = 0;         ///< pairs (or single figures) that are slow and have it in common
  int rows = 0;              ///< that cross it
  double evidence = 0;       ///< gain in log likelihood
  Dimension dimension = Dimension::bytes_per_second;
  PartKind unit_kind = PartKind::gpu;
  bool pairs = true;
  std::vector<std::string> matrices;  ///< where it shows, strongest first
  std::string sentence;
};

/// A row that is slow and that no culprit explains: to be measured again, alone.
struct Suspect {
  std::int32_t row = 0;
  double factor = 1;  ///< cost over that of its peers, beyond what culprits explain
};

/// What a sound row of a group comes to.
struct GroupReport {
  std::string name;
  int rows = 0;
  double typical = 0;  ///< figure of a sound row, in the matrix's dimension; NaN when it has too few rows
  double sigma = 0;    ///< relative
};

struct MatrixReport {
  std::string name;
  Dimension dimension = Dimension::bytes_per_second;
  std::vector<GroupReport> groups;
  double epoch_sigma = 0;      ///< of one epoch of one row, relative, run-wide offsets removed
  double disturbed_share = 0;  ///< of epochs that were far slower than their row's others
  std::vector<Finding> findings;
  std::vector<Suspect> suspects;     ///< slowest first
  bool unexplained_pattern = false;  ///< so many single paths are slow that there is a structure behind, not faults
};

struct Localisation {
  Topology topology;
  std::vector<MatrixReport> matrices;
  std::vector<Finding> findings;  ///< of all matrices together, strongest evidence first
};

/// Culprits of one matrix. `leaf_of`: as for append_parts.
[[nodiscard]] MatrixReport locate_in(const PairMatrix& matrix, const std::vector<std::int32_t>& leaf_of,
                                     const Names& names, const SearchOptions& options = {});

/// Structure and culprits of all matrices of a run. options.false_alarms holds for all of them together. A part that
/// several matrices accuse is one finding; where a matrix leaves several parts open, one that another matrix of the
/// same dimension shows to be sound is left out.
[[nodiscard]] Localisation locate(const std::vector<PairMatrix>& matrices, const Names& machine,
                                  const SearchOptions& options = {});

/// "NIC mlx5_3 of node7 delivers 51 % of what its peers do (fourteen slow pairs have it in common)"
[[nodiscard]] std::string sentence_of(const Finding& finding, const Names& names);

/// What a second look at a suspect, measured alone, says.
enum class SecondLook { slow_link, congestion, not_measured };
/// `alone` holds rows between the same ends, each measured while nothing else ran. A sound pair alone is no slower than
/// a sound pair among others; one that keeps more than half of its excess is slow by itself.
[[nodiscard]] SecondLook look_again(const PairMatrix& matrix, const MatrixReport& report, const Suspect& suspect,
                                    const PairMatrix& alone);

}  // namespace assay::locate
