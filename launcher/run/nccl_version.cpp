#include "launcher/run/nccl_version.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>

namespace assay {

namespace {

constexpr int oldest_nccl = 21800;

}  // namespace

int nccl_version_of(std::string_view text) {
  std::array<int, 3> parts{};
  const char* at = text.data();
  const char* end = at + text.size();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto [next, error] = std::from_chars(at, end, parts[i]);
    if (error != std::errc{} || (next != end && *next != '.')) return 0;
    if (next == end) break;
    at = next + 1;
  }
  return 10000 * parts[0] + 100 * parts[1] + parts[2];
}

std::string nccl_problem_of(const DeviceBackend::Part& part) {
  if (part.version.empty()) return fmt::format("no NCCL: {}", part.detail);
  if (nccl_version_of(part.version) >= oldest_nccl) return {};
  return fmt::format("NCCL {} ({}) is too old; 2.18 is the first that is of use", part.version, part.detail);
}

}  // namespace assay
