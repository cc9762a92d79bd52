#include "launcher/build_info.hpp"

#include <fmt/format.h>

namespace assay {

std::string describe(const BuildInfo& info) {
  std::string text =
      fmt::format("assay {} (git {})\nbuilt with {}, {}", info.version, info.git_sha, info.compiler, info.build_type);
  if (!info.sanitizers.empty()) text += fmt::format(", sanitizers {}", info.sanitizers);
  for (const BuildPart& part : info.parts) {
    text += fmt::format("\n  {:<9} {}: {}", part.name, part.built_in ? "built in" : "absent", part.detail);
  }
  return text;
}

}  // namespace assay
