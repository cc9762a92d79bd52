#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// One line of a hosts file.
struct HostEntry {
  std::string name;
  int slots = 0;  ///< ranks that the file allows on it; 0 when it does not say
};

/// Lines "host", "host slots=N" or "host:N"; '#' starts a comment. Throws Error(bad_input) as "FILE:LINE: ..." for a
/// bad line or a host named twice, and when there is no host at all.
[[nodiscard]] std::vector<HostEntry> parse_hosts(std::string_view text, std::string_view file);

/// The same from a file; an unreadable one is Error(bad_input) too.
[[nodiscard]] std::vector<HostEntry> read_hosts_file(const std::filesystem::path& file);

}  // namespace assay
