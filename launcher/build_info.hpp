#pragma once

#include <span>
#include <string>
#include <string_view>

namespace assay {

/// One optional part of the build.
struct BuildPart {
  std::string_view name;  ///< "IO_URING"
  bool built_in = false;
  std::string_view detail;  ///< its version, or why it is absent
};

/// What this binary was built from.
struct BuildInfo {
  std::string_view version;     ///< "0.1.0"
  std::string_view git_sha;     ///< 12 hex digits, "-dirty" appended when tracked files differed; "unknown" without git
  std::string_view compiler;    ///< "GNU 12.2.0"
  std::string_view build_type;  ///< "Release"
  std::string_view sanitizers;  ///< "address,undefined"; empty when none
  std::span<const BuildPart> parts;

  /// "0.1.0 1a2b3c4d5e6f": what program and plug-in must have in common.
  [[nodiscard]] std::string build_id() const { return std::string(version) + ' ' + std::string(git_sha); }
};

[[nodiscard]] const BuildInfo& build_info();

/// Several lines for `assay --version`: the above, one optional part per line, no newline at the end.
[[nodiscard]] std::string describe(const BuildInfo& info);

}  // namespace assay
