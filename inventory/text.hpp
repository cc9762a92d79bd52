#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "inventory/fact.hpp"

namespace assay {

/// Small readers of the kernel's text files.

[[nodiscard]] std::string_view trim(std::string_view text);
/// Pieces between `separator`s, empty ones included; nothing for an empty text.
[[nodiscard]] std::vector<std::string> split(std::string_view text, char separator);
/// Pieces between runs of white space.
[[nodiscard]] std::vector<std::string> words(std::string_view text);

/// A decimal number and nothing else.
[[nodiscard]] std::optional<std::int64_t> parse_integer(std::string_view text);

/// The kernel's list format: "0-3,8". Ascending; nothing when malformed, empty for an empty text.
[[nodiscard]] std::optional<std::vector<int>> parse_cpu_list(std::string_view text);

/// What stands behind "KEY:" (any white space around the colon) on the first line that starts so.
[[nodiscard]] std::optional<std::string> field(std::string_view text, std::string_view key);

/// "always [madvise] never" -> "madvise"; nothing without brackets.
[[nodiscard]] std::optional<std::string> bracketed(std::string_view text);

[[nodiscard]] std::vector<int> intersection(const std::vector<int>& a, const std::vector<int>& b);

}  // namespace assay
