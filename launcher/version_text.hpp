#pragma once

#include <string>

namespace assay {

/// What `assay --version` prints: the build, and whether the GPU plug-in can be used here, with what it found or why
/// not. No newline at the end.
[[nodiscard]] std::string version_text();

}  // namespace assay
