#pragma once

#include <toml++/toml.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/clause.hpp"

namespace assay {

/// Faults of an offer file, gathered so that one reading names them all.
class OfferFaults {
 public:
  explicit OfferFaults(std::string file) : file_(std::move(file)) {}

  void add(const toml::source_position& at, const std::string& key, const std::string& what,
           const std::string& hint = {});
  /// Throws Error(bad_input) with all faults in the order of the file; returns when there are none.
  void raise() const;
  [[nodiscard]] const std::string& file() const { return file_; }

 private:
  struct Fault {
    toml::source_position at;
    std::string text;
  };
  std::string file_;
  std::vector<Fault> faults_;
};

/// A clause and where exactly it stands, for sorting.
struct PlacedClause {
  toml::source_position at;
  Clause clause;
};

/// Reads what stands behind a clause's key: a value, a table { value, direction, from, to }, or an array of such
/// tables. Faults go to `faults`; only sound clauses are appended.
void read_clause(const ClauseInfo& kind, const toml::node& node, std::vector<PlacedClause>& out, OfferFaults& faults);

/// A derate override in (0, 1]; faults otherwise.
[[nodiscard]] std::optional<double> read_derate(const std::string& key, const toml::node& node, OfferFaults& faults);

/// "; did you mean 'x'?" for the candidate within 3 edits, else "; known: a, b, c".
[[nodiscard]] std::string suggestion(std::string_view text, const std::vector<std::string>& known);

}  // namespace assay
