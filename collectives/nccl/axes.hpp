#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/case.hpp"

namespace assay::nccl {

/// One message size and the smallest suite that has it.
struct Size {
  std::uint64_t bytes;
  Suite from;
};

/// 1 MiB and 1 GiB in quick; 8 B, 64 B and on in fourfold steps to 4 GiB, and 8 GiB, in standard; all doublings in
/// full.
[[nodiscard]] std::vector<Size> sweep_sizes();
/// 256 MiB in quick; 8 B, 1 MiB, 1 GiB and 8 GiB in standard; all doublings from 1 MiB on in full.
[[nodiscard]] std::vector<Size> single_sizes();

/// `bytes`: those of `sizes` whose two buffers take at most two fifths of the smallest card's memory. Where that leaves
/// out every large size of the quick suite, the largest that is left belongs to it.
[[nodiscard]] Axis bytes_axis(const Layout& layout, const std::vector<Size>& sizes);

/// `dtype` of sums: f32; bf16 from standard on; in full f16, i8 and, on GPUs of compute capability 9.0 on with NCCL
/// 2.24 on, f8 (e4m3).
[[nodiscard]] Axis dtype_axis(const Layout& layout);

/// `ranks`: all; node (each node alone), rail (GPUs of one number on all nodes), halves (of the nodes, or of the GPUs
/// of a single node), node_pairs (nodes 0 and 1, 2 and 3, ...). Only those whose sets differ from all before them.
[[nodiscard]] Axis ranks_axis(const Layout& layout);
/// Sets of two ranks at least.
[[nodiscard]] RankSets ranks_sets(const Layout& layout, std::string_view ranks);

/// `algo`: what the communicator is held to, or free. Ring is what bandwidth between nodes can be judged with: other
/// algorithms may put fewer bytes on the wire than the bus bandwidth counts.
enum class Algorithms { all_reduce, ring_only };
[[nodiscard]] Axis algorithm_axis(const Layout& layout, Algorithms which);
/// Value of NCCL_ALGO for a value of the axis; empty for free. Where there is no NVLS, Ring stands in for it, which the
/// series' method then says: NCCL fails when it is left without an algorithm.
[[nodiscard]] std::string_view algorithm_setting(std::string_view algorithm);

/// `place`: out; in (send and receive buffer overlap as NCCL allows it) from standard on.
[[nodiscard]] Axis place_axis();

/// Of the product of all axes only what tells something new: types, algorithms and places other than the first of their
/// axis are varied one at a time, from 1 MiB on (algorithms from 16 MiB on), as are the sets beside all and node.
[[nodiscard]] bool worth_measuring(const Point& point);

/// `level` of nccl.pairs: node (pairs of nodes, every GPU with the one of equal number), gpu (pairs of GPUs within
/// every node); only what the layout has pairs of.
[[nodiscard]] Axis level_axis(const Layout& layout);
/// `round`: 0, 1, ...; a tournament in which every pair of a level meets once.
[[nodiscard]] Axis round_axis(const Layout& layout);
/// The sets of one round: {a, b} for gpu; all GPU ranks of two nodes for node, as many of each. Empty past the last.
[[nodiscard]] RankSets pair_sets(const Layout& layout, std::string_view level, int round);

}  // namespace assay::nccl
