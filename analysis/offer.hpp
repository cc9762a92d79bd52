#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/clause.hpp"

namespace assay {

/// What was advertised, as written in an offer file (docs/offer.md).
struct Offer {
  std::string file;
  std::string provider;
  std::string region;
  std::string product;
  std::vector<Clause> clauses;  ///< in the order of the file; at least one

  /// The first clause with that key, or nullptr.
  [[nodiscard]] const Clause* find(std::string_view key) const;
};

/// Reads an offer from text; `file` only names it. Throws Error(bad_input) that lists every fault of the file, one a
/// line, as "FILE:LINE: key: what; hint". (A syntax error ends the reading: it is the only one listed.)
[[nodiscard]] Offer parse_offer(std::string_view text, const std::string& file, const ClauseRegistry& kinds);

/// The same from a file. Missing, unreadable, empty, too large (> 1 MiB) or a directory: Error(bad_input).
[[nodiscard]] Offer load_offer(const std::filesystem::path& path, const ClauseRegistry& kinds);

}  // namespace assay
