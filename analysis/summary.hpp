#pragma once

#include <cstdint>
#include <string>

#include "analysis/run_data.hpp"

namespace assay {

/// What `assay show` prints. Pure.

/// The run, its nodes, and one line per case, point and set of ranks: median over the epochs, interval, epochs, flags.
[[nodiscard]] std::string summary_text(const RunData& run);
/// The same as one JSON object; schema "assay.summary/1" in docs/judging.md.
[[nodiscard]] std::string summary_json(const RunData& run);

/// Matrix of world ranks for each size that mpi.pairs measured: median over the epochs.
/// Throws Error(bad_input) when the run has no pairs.
[[nodiscard]] std::string pairs_text(const RunData& run);

/// Seconds of one series, one line per kept iteration, one column per rank.
/// Throws Error(bad_input) when there is no such series.
[[nodiscard]] std::string samples_text(const RunData& run, std::int64_t series);

/// "done", "stopped: reason", "running"; and that the hardware was emulated, where it was.
[[nodiscard]] std::string status_text(const results::RunInfo& run);

}  // namespace assay
