#include "analysis/locate/part.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace assay::locate {
namespace {

constexpr int node_bits = 18;
constexpr int unit_bits = 11;

std::uint64_t field(std::int32_t value, int bits) {
  return static_cast<std::uint64_t>(value + 1) & ((std::uint64_t{1} << bits) - 1);
}

std::int32_t take(std::uint64_t& key, int bits) {
  const auto value = static_cast<std::int32_t>(key & ((std::uint64_t{1} << bits) - 1)) - 1;
  key >>= bits;
  return value;
}

int unit_of(const End& end, PartKind unit_kind) {
  if (unit_kind == PartKind::gpu) return end.gpu;
  return unit_kind == PartKind::nic ? end.nic : end.slot;
}

/// Collects the parts of one row.
class Collector {
 public:
  Collector(const PairRow& row, std::vector<std::uint64_t>& keys) : directed_(row.directed), keys_(keys) {}

  void add(const Part& part) { keys_.push_back(key_of(part)); }

  /// A part of one end, and its sending or receiving side alone when the data went one way.
  void add_sides(Part part, bool sends) {
    add(part);
    if (!directed_) return;
    part.side = sends ? Side::sending : Side::receiving;
    add(part);
  }

  void add_end(const End& end, bool across, bool sends) {
    if (end.gpu >= 0) add_sides({.kind = PartKind::gpu, .node = end.node, .unit = end.gpu}, sends);
    if (end.nic >= 0 && across) add_sides({.kind = PartKind::nic, .node = end.node, .unit = end.nic}, sends);
    if (end.gpu < 0 && end.nic < 0) add_sides({.kind = PartKind::rank, .node = end.node, .unit = end.slot}, sends);
    add_sides({.kind = PartKind::node, .node = end.node}, sends);
  }

 private:
  bool directed_;
  std::vector<std::uint64_t>& keys_;
};

Part link_between(const End& a, const End& b, PartKind unit_kind, Side side) {
  Part part{.kind = PartKind::link,
            .side = side,
            .node = a.node,
            .unit = unit_of(a, unit_kind),
            .other_node = b.node,
            .other_unit = unit_of(b, unit_kind)};
  if (std::pair(part.node, part.unit) > std::pair(part.other_node, part.other_unit)) {
    std::swap(part.node, part.other_node);
    std::swap(part.unit, part.other_unit);
    // Of a link, "sending" is the way from its lower end to its upper one.
    if (side != Side::both) part.side = side == Side::sending ? Side::receiving : Side::sending;
  }
  return part;
}

std::string unit_text(PartKind kind, int node, int unit, const Names& names) {
  if (kind == PartKind::gpu) return fmt::format("GPU {}", unit);
  if (kind == PartKind::nic) return "NIC " + names.nic(node, unit);
  return fmt::format("rank {} of those", unit);
}

std::string link_text(const Part& part, const Names& names, PartKind unit_kind) {
  const std::string a = unit_text(unit_kind, part.node, part.unit, names);
  const std::string b = unit_text(unit_kind, part.other_node, part.other_unit, names);
  const std::string from =
      part.node == part.other_node
          ? a
          : fmt::format("{} {} {}", a, unit_kind == PartKind::rank ? "on" : "of", names.host(part.node));
  const std::string to =
      fmt::format("{} {} {}", b, unit_kind == PartKind::rank ? "on" : "of", names.host(part.other_node));
  if (part.side == Side::sending) return fmt::format("the path from {} to {}", from, to);
  if (part.side == Side::receiving) return fmt::format("the path from {} to {}", to, from);
  return fmt::format("the path between {} and {}", from, to);
}

std::string plain_text(const Part& part, const Names& names, PartKind unit_kind) {
  switch (part.kind) {
    case PartKind::gpu:
    case PartKind::nic:
      return fmt::format("{} of {}", unit_text(part.kind, part.node, part.unit, names), names.host(part.node));
    case PartKind::rank:
      return fmt::format("rank {} of those on {}", part.unit, names.host(part.node));
    case PartKind::node:
      return names.host(part.node);
    case PartKind::link:
      return link_text(part, names, unit_kind);
    case PartKind::node_link:
      return fmt::format("the path between {} and {}", names.host(part.node), names.host(part.other_node));
    case PartKind::rail:
      return fmt::format("rail {}", part.unit);
    case PartKind::leaf:
      return "the way out of " + names.island(part.node);
  }
  return "an unknown part";
}

}  // namespace

std::string Names::host(int node) const {
  const auto index = static_cast<std::size_t>(node);
  return node >= 0 && index < hosts.size() && !hosts[index].empty() ? hosts[index] : fmt::format("node {}", node);
}

std::string Names::nic(int node, int nic) const {
  const auto index = static_cast<std::size_t>(node);
  const auto place = static_cast<std::size_t>(nic);
  const bool known = node >= 0 && nic >= 0 && index < nics.size() && place < nics[index].size();
  return known ? nics[index][place] : fmt::format("{}", nic);
}

std::string Names::island(int island) const {
  const auto index = static_cast<std::size_t>(island);
  const bool known = island >= 0 && index < islands.size();
  return known ? fmt::format("the island of {}", islands[index]) : fmt::format("island {}", island);
}

std::string_view to_string(PartKind kind) {
  constexpr std::string_view names[] = {"gpu", "nic", "rank", "node", "link", "node_link", "rail", "leaf"};
  return names[static_cast<std::size_t>(kind)];
}

std::uint64_t key_of(const Part& part) {
  std::uint64_t key = static_cast<std::uint64_t>(part.kind);
  key = key << 2 | static_cast<std::uint64_t>(part.side);
  key = key << node_bits | field(part.node, node_bits);
  key = key << unit_bits | field(part.unit, unit_bits);
  key = key << node_bits | field(part.other_node, node_bits);
  return key << unit_bits | field(part.other_unit, unit_bits);
}

Part part_of(std::uint64_t key) {
  Part part;
  part.other_unit = take(key, unit_bits);
  part.other_node = take(key, node_bits);
  part.unit = take(key, unit_bits);
  part.node = take(key, node_bits);
  part.side = static_cast<Side>(key & 3U);
  part.kind = static_cast<PartKind>(key >> 2);
  return part;
}

PartKind unit_kind_of(const PairMatrix& matrix) {
  const auto all = [&](auto has) {
    return !matrix.ends.empty() && std::all_of(matrix.ends.begin(), matrix.ends.end(), has);
  };
  if (all([](const End& end) { return end.gpu >= 0; })) return PartKind::gpu;
  return all([](const End& end) { return end.nic >= 0; }) ? PartKind::nic : PartKind::rank;
}

void append_parts(const PairMatrix& matrix, const PairRow& row, const std::vector<std::int32_t>& leaf_of,
                  std::vector<std::uint64_t>& keys) {
  Collector parts(row, keys);
  const End& a = matrix.ends[static_cast<std::size_t>(row.a)];
  if (row.b < 0) {
    parts.add_end(a, false, true);
    return;
  }
  const End& b = matrix.ends[static_cast<std::size_t>(row.b)];
  const bool across = a.node != b.node;
  const PartKind unit = a.gpu >= 0 && b.gpu >= 0   ? PartKind::gpu
                        : a.nic >= 0 && b.nic >= 0 ? PartKind::nic
                                                   : PartKind::rank;
  const std::size_t start = keys.size();
  parts.add_end(a, across, true);
  parts.add_end(b, across, false);
  parts.add(link_between(a, b, unit, Side::both));
  if (row.directed) parts.add(link_between(a, b, unit, Side::sending));
  if (across) {
    const auto nodes = std::minmax(a.node, b.node);
    parts.add({.kind = PartKind::node_link, .node = nodes.first, .other_node = nodes.second});
    for (const int rail : {a.rail, b.rail}) {
      if (rail >= 0) parts.add({.kind = PartKind::rail, .unit = rail});
    }
    const int leaf_a = leaf_of.empty() ? -1 : leaf_of[static_cast<std::size_t>(row.a)];
    const int leaf_b = leaf_of.empty() ? -1 : leaf_of[static_cast<std::size_t>(row.b)];
    if (leaf_a >= 0 && leaf_b >= 0 && leaf_a != leaf_b) {
      parts.add({.kind = PartKind::leaf, .node = leaf_a});
      parts.add({.kind = PartKind::leaf, .node = leaf_b});
    }
  }
  // Both ends on one node touch it once.
  std::sort(keys.begin() + static_cast<std::ptrdiff_t>(start), keys.end());
  keys.erase(std::unique(keys.begin() + static_cast<std::ptrdiff_t>(start), keys.end()), keys.end());
}

std::string describe(const Part& part, const Names& names, PartKind unit_kind) {
  const std::string text = plain_text(part, names, unit_kind);
  if (part.side == Side::both || part.kind == PartKind::link) return text;
  return text + (part.side == Side::sending ? " as sender" : " as receiver");
}

}  // namespace assay::locate
