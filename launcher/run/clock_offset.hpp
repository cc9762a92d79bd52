#pragma once

#include <string>
#include <vector>

#include "core/group.hpp"

namespace assay {

/// Seconds to add to this rank's monotonic clock to have rank 0's. Collective. Ranks with one `boot` (boot id of the
/// kernel) share a clock: 0. Otherwise the median over a few barriers of the difference of the clocks right after each:
/// as good as a barrier lets ranks go together, well below a millisecond on a quiet cluster.
[[nodiscard]] double clock_offset(Group& world, const std::string& boot);

/// Medians of first[round] - other[round] for each rank's readings of its clock; `readings[rank][round]`.
[[nodiscard]] std::vector<double> offsets_from(const std::vector<std::vector<double>>& readings);

}  // namespace assay
