#pragma once

#include "core/case.hpp"

namespace assay::cuda {

/// `gpus`: node (all GPUs of each node at once, one set per node), and each GPU number alone (one set per node) from
/// the suite `alone_from` on, where a node has several.
[[nodiscard]] Axis gpus_axis(const Layout& layout, Suite alone_from);
[[nodiscard]] RankSets gpus_sets(const Layout& layout, const Point& point);

}  // namespace assay::cuda
