#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/units.hpp"

namespace assay {

struct Catalogue;
struct JudgeContext;
struct Offer;
struct Product;
struct Verdict;

/// Where in the offer something stands.
struct Place {
  std::string file;
  std::int64_t line = 0;  ///< from 1

  [[nodiscard]] std::string text() const;  ///< "offer.toml:12"
};

/// Which side of the advertised value is good.
enum class Sense { at_least, at_most };

/// How the offer says it.
enum class Form {
  number,
  text,  ///< a name: "NVIDIA H100 80GB HBM3"
  flag,  ///< true, or the clause is left out
};

/// Message or block sizes that a clause speaks of, both ends included.
struct SizeRange {
  std::uint64_t from = 0;
  std::uint64_t to = std::numeric_limits<std::uint64_t>::max();

  [[nodiscard]] bool contains(std::uint64_t bytes) const { return from <= bytes && bytes <= to; }
  [[nodiscard]] std::string text() const;  ///< "1.00 MiB to 4.00 MiB", "from 1.00 MiB", "up to 8 B"
  bool operator==(const SizeRange&) const = default;
};

/// One thing that was advertised.
struct Clause {
  std::string key;   ///< "network.pair_bandwidth"
  double value = 0;  ///< in the SI base unit of `dimension`
  Dimension dimension = Dimension::count;
  Direction direction = Direction::none;
  Sense sense = Sense::at_least;
  std::optional<SizeRange> sizes;
  Form form = Form::number;
  std::string text;            ///< of a clause in words
  std::optional<double> rate;  ///< of each piece that `value` counts, byte/s
  /// What healthy hardware reaches where `value` is a data sheet's: the limit is taken from this instead.
  std::optional<double> healthy;
  std::string healthy_source;  ///< where that comes from
  double derate = 1;           ///< in (0, 1]
  std::string derate_source;   ///< why this derate
  Place place;

  /// The value, or what healthy hardware reaches of it.
  [[nodiscard]] double reference() const { return healthy.value_or(value); }
  /// What has to be reached: reference * derate, or reference / derate for "at most".
  [[nodiscard]] double limit() const { return sense == Sense::at_least ? reference() * derate : reference() / derate; }
  /// "network.all_reduce, 1.00 MiB to 4.00 MiB".
  [[nodiscard]] std::string title() const;
  /// How the limit comes about: "at least 12.0 GB/s one way x 0.85 (source) = 10.2 GB/s".
  [[nodiscard]] std::string derivation() const;
  /// What is needed, for a table: ">= 10.2 GB/s", "NVIDIA H100 80GB HBM3", "yes".
  [[nodiscard]] std::string needed() const;
};

/// Series that settle a clause: one case, and values of some of its axes in the order of the case's axes.
struct Pattern {
  std::string case_name;
  std::vector<std::pair<std::string, std::string>> axes;

  /// For `assay run --filter`: "host.gemm/.*dtype:f64.*ranks:all".
  [[nodiscard]] std::string filter() const;
};

/// A kind of clause. One file per kind (or family) under analysis/clauses/, registered by a RegisterClause object.
/// The offer reader and the judge know kinds only through this description.
struct ClauseInfo {
  std::string key;           ///< "section.name" in the offer
  std::string summary = {};  ///< one line, for `assay offer check` and hints
  Dimension dimension = Dimension::count;
  Sense sense = Sense::at_least;
  std::string value_name = "value";  ///< "busbw" where a plain value would be misread
  bool needs_direction = false;      ///< the offer has to say one_way or both_ways
  bool sized = false;                ///< the offer has to say for which sizes
  Form form = Form::number;
  std::vector<std::string> words = {};  ///< texts that the offer may use; empty: any
  bool needs_rate = false;              ///< a count of pieces, each with a rate
  double derate = 1;
  std::string derate_source = {};
  std::string question = {};     ///< what to ask the provider when the clause fails
  Pattern settled_by = {};       ///< empty case name: settled by the inventory
  std::string run_options = {};  ///< what `assay run` needs besides the filter: "--path DIR"
  /// Sets `healthy` of a clause whose value may be a data sheet's. Only called for a model that the catalogue knows.
  std::function<void(Clause&, const Product&, const Catalogue&)> expect = {};
  /// Why the clause cannot be true of this model (nullptr: not known); empty when it can.
  std::function<std::string(const Clause&, const Product*, const Catalogue&)> contradiction = {};
  /// Fills outcome, measured, reason, member, evidence, notes and cause of a verdict whose clause is set.
  std::function<void(Verdict&, const JudgeContext&)> judge;
};

/// All kinds of clauses, sorted by key.
class ClauseRegistry {
 public:
  /// Throws Error(environment) for a duplicate or malformed key or a missing judge function.
  void add(ClauseInfo info);
  [[nodiscard]] const std::vector<ClauseInfo>& kinds() const { return kinds_; }
  [[nodiscard]] const ClauseInfo* find(std::string_view key) const;

 private:
  std::vector<ClauseInfo> kinds_;
};

/// Filled before main by the RegisterClause objects linked in (OBJECT library assay_clauses).
[[nodiscard]] ClauseRegistry& builtin_clauses();

struct RegisterClause {
  explicit RegisterClause(ClauseInfo info) { builtin_clauses().add(std::move(info)); }
};

}  // namespace assay
