#pragma once

#include <cstdint>

#include "core/case.hpp"

namespace assay::mpi {

/// `bytes`: powers of two from 8 B to `largest`. quick: 8 B, 64 KiB, 4 MiB; standard: 8 B and powers of four
/// up to 64 MiB; full: all.
[[nodiscard]] Axis bytes_axis(std::uint64_t largest);

/// `dtype`: f32; f64 from the standard suite on.
[[nodiscard]] Axis dtype_axis();

/// `ranks`: all (one set over all nodes); node (one set per node) when there are several nodes and one has two ranks.
/// Every rank takes part, also where a node has fewer CPUs than ranks.
[[nodiscard]] Axis ranks_axis(const Layout& layout);
[[nodiscard]] RankSets ranks_sets(const Layout& layout, const Point& point);

/// `between`: node (two ranks of one node), nodes (two ranks of different nodes); only what the layout has.
[[nodiscard]] Axis between_axis(const Layout& layout);
[[nodiscard]] RankSets between_sets(const Layout& layout, const Point& point);

}  // namespace assay::mpi
