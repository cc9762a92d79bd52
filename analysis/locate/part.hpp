#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/locate/pair_matrix.hpp"

namespace assay::locate {

/// What can be the culprit.
enum class PartKind {
  gpu,
  nic,
  rank,       ///< of a run without GPUs: its core and memory
  node,       ///< all that its units have in common
  link,       ///< the path between two units and nothing else
  node_link,  ///< the paths between two nodes
  rail,       ///< the NICs of equal number on all nodes: their switch
  leaf,       ///< what the paths out of an island have in common: its uplinks
};
inline constexpr int part_kinds = 8;
[[nodiscard]] std::string_view to_string(PartKind kind);

enum class Side { both, sending, receiving };

struct Part {
  PartKind kind = PartKind::node;
  Side side = Side::both;
  std::int32_t node = -1;        ///< leaf: number of the island
  std::int32_t unit = -1;        ///< number on the node; rail: number of the rail
  std::int32_t other_node = -1;  ///< links: the other end
  std::int32_t other_unit = -1;
  auto operator<=>(const Part&) const = default;
};

/// 64 bits that order and tell apart parts of up to 2^18 nodes and 2^11 units; the inverse of part_of.
[[nodiscard]] std::uint64_t key_of(const Part& part);
[[nodiscard]] Part part_of(std::uint64_t key);

/// Appends the keys of all parts that a measurement of `row` touches. `leaf_of`: island of each end, -1 unknown, empty
/// when no islands are known; paths between islands touch the uplinks of both.
void append_parts(const PairMatrix& matrix, const PairRow& row, const std::vector<std::int32_t>& leaf_of,
                  std::vector<std::uint64_t>& keys);

/// "NIC mlx5_3 of node7", "GPU 2 of node1 as sender", "the link between GPU 0 and GPU 5 of node1".
/// `unit_kind`: what the units of a link are (gpu, nic or rank).
[[nodiscard]] std::string describe(const Part& part, const Names& names, PartKind unit_kind);

/// What the units of a matrix are: gpu when its ends have GPUs, else nic, else rank.
[[nodiscard]] PartKind unit_kind_of(const PairMatrix& matrix);

}  // namespace assay::locate
