#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/units.hpp"

namespace assay::locate {

/// One end of a measured pair. -1: there is none, or it is not known.
struct End {
  std::int32_t node = -1;
  std::int32_t slot = -1;  ///< place among the ranks of its node
  std::int32_t gpu = -1;   ///< number on its node
  std::int32_t nic = -1;   ///< number on its node, of the NIC that carries its traffic to other nodes
  std::int32_t rail = -1;  ///< which of the NICs, counted over those that carry such traffic: equal numbers form a rail
  std::int32_t rank = -1;  ///< world rank
};

/// How the slowness of several parts on one path adds up.
enum class Composition {
  bottleneck,  ///< the slowest part decides: rates of streams
  sum,         ///< each adds its own time: latencies
};

/// A measured pair, or a single end (b < 0) that is compared with its like: a GPU's own memory rate, say.
struct PairRow {
  std::int32_t a = -1;     ///< index in PairMatrix::ends; the sender when directed
  std::int32_t b = -1;     ///< the receiver when directed
  std::int32_t round = 0;  ///< rows with equal numbers were measured at the same time
  std::int32_t count = 0;  ///< of its costs, one for each epoch
  std::int64_t first = 0;  ///< in PairMatrix::costs
  bool directed = false;
};

struct Cost {
  double log_seconds = 0;  ///< ln of seconds per unit of work (per byte; for a latency, per message)
  std::int32_t epoch = 0;
};

/// Sparse matrix of what was measured between ends, with every epoch's value.
struct PairMatrix {
  std::string name;                                   ///< "nccl.pairs/bytes:67108864/level:gpu"
  Dimension dimension = Dimension::bytes_per_second;  ///< of the figure that people read: a rate or seconds
  Composition composition = Composition::bottleneck;
  bool alone = false;  ///< one pair at a time: nothing else on the links
  std::vector<End> ends;
  std::vector<PairRow> rows;
  std::vector<Cost> costs;

  [[nodiscard]] bool pairs() const { return !rows.empty() && rows.front().b >= 0; }
  [[nodiscard]] bool same_node(const PairRow& row) const {
    return row.b < 0 || ends[static_cast<std::size_t>(row.a)].node == ends[static_cast<std::size_t>(row.b)].node;
  }
};

/// What the machine calls its parts.
struct Names {
  std::vector<std::string> hosts;              ///< by node
  std::vector<std::vector<std::string>> nics;  ///< by node and number on the node

  std::vector<std::string> islands = {};  ///< who lies in them, by number: "node0, node1 and 14 more"

  [[nodiscard]] std::string host(int node) const;
  [[nodiscard]] std::string nic(int node, int nic) const;
  [[nodiscard]] std::string island(int island) const;
};

}  // namespace assay::locate
