#include "results/value_type.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace assay::results {
namespace {

constexpr std::string_view ellipsis = "\u2026";

/// The longest prefix of whole UTF-8 characters in `bytes`.
std::string_view whole_characters(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  const auto continues = [&](std::size_t at) { return (static_cast<unsigned char>(text[at]) & 0xC0u) == 0x80u; };
  std::size_t end = bytes;
  while (end > 0 && continues(end)) --end;
  return text.substr(0, end);
}

}  // namespace

Handle text_type(std::size_t bytes) {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "copy HDF5 type");
  check_hdf5(H5Tset_size(type.get(), bytes), "set HDF5 text size");
  check_hdf5(H5Tset_strpad(type.get(), H5T_STR_NULLPAD), "set HDF5 text padding");
  check_hdf5(H5Tset_cset(type.get(), H5T_CSET_UTF8), "set HDF5 character set");
  return type;
}

void store_text(std::string_view column, std::string_view value, Text kind, char* target, std::size_t bytes) {
  const bool clean = value.find('\0') == std::string_view::npos;
  if (kind == Text::identifier && (value.size() > bytes || !clean)) {
    throw environment_error(
        fmt::format("column {}: {} bytes do not fit into text[{}]: \"{}\"", column, value.size(), bytes, value),
        "use a shorter name; columns are listed in docs/results.md");
  }
  std::string cut;
  if (value.size() > bytes) {
    cut = whole_characters(value, bytes - ellipsis.size());
    value = cut += ellipsis;
  }
  char* end = std::replace_copy(value.begin(), value.end(), target, '\0', ' ');
  std::fill(end, target + bytes, '\0');
}

}  // namespace assay::results
