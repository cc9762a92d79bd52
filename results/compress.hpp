#pragma once

#include <filesystem>

#include "results/record.hpp"

namespace assay::results {

/// Private to results/: replaces a closed file by a compressed copy that is on the disk before it takes the name.
/// Throws Error and leaves the file as it was when the copy cannot be made.
void replace_by_compressed_copy(const std::filesystem::path& path, const RunInfo& info);

}  // namespace assay::results
