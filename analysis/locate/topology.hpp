#pragma once

#include <string>
#include <vector>

#include "analysis/locate/islands.hpp"
#include "analysis/locate/pair_matrix.hpp"
#include "analysis/locate/part.hpp"

namespace assay::locate {

/// A vertex of the inferred topology. unit -1: the node as a whole.
struct Place {
  std::int32_t node = -1;
  std::int32_t unit = -1;
  auto operator<=>(const Place&) const = default;
};

enum class LevelKind {
  device_domain,  ///< GPUs that reach each other at device speed: NVLink
  host_domain,    ///< ranks that reach each other through memory: a node
  leaf,           ///< nodes under one switch
  rail_switch,    ///< NICs under one switch, where that is not one switch for all NICs of a node
};
[[nodiscard]] std::string_view to_string(LevelKind kind);

/// Islands of one level, read from one matrix.
struct Level {
  LevelKind kind = LevelKind::leaf;
  std::string matrix;  ///< what it was read from
  std::vector<Place> places;
  Islands islands;  ///< `of` by place
};

/// The measured structure says something else than the record.
struct Contradiction {
  Part part;
  std::string sentence;  ///< "GPU 3 of node2 is not in the NVLink island of its node"
};

struct Topology {
  std::vector<Level> levels;
  std::vector<Contradiction> contradictions;

  /// Island of each end of a matrix at the level that separates paths across nodes; empty when none was found.
  [[nodiscard]] std::vector<std::int32_t> leaf_of(const PairMatrix& matrix) const;
};

/// Nodes of each island of the level that separates paths across nodes: "node0, node1 and 14 more"; empty without one.
[[nodiscard]] std::vector<std::string> island_names(const Topology& topology, const Names& names);

/// Reads the structure out of the matrices, knowing only which ends share a node:
///   device_domain  rates between GPUs, steps of at least 1.6
///   host_domain    rates or latencies between ranks without GPUs, steps of at least 1.3
///   leaf, rail_switch  paths across nodes: latencies first (idle switches answer alike, whatever else runs), rates
///   else;
///                  steps of at least 1.1
/// A level in which everything is one island is left out.
[[nodiscard]] Topology infer_topology(const std::vector<PairMatrix>& matrices, const Names& names);

}  // namespace assay::locate
