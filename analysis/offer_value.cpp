#include "analysis/offer_value.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>

#include "core/error.hpp"

namespace assay {
namespace {

std::string type_name(const toml::node& node) {
  std::ostringstream text;
  text << node.type();
  return text.str();
}

std::string example_of(const ClauseInfo& kind) {
  if (kind.form == Form::flag) return "true";
  if (kind.form == Form::text && kind.words.empty()) return "a name in quotes";
  if (kind.form == Form::text) return fmt::format("\"{}\"", fmt::join(kind.words, "\" or \""));
  switch (kind.dimension) {
    case Dimension::count:
      return "a whole number such as 64";
    case Dimension::ratio:
      return "a number such as 0.9, or \"90 %\"";
    case Dimension::bytes:
      return "a quantity such as \"64 GiB\"";
    case Dimension::seconds:
      return "a quantity such as \"2.5 us\"";
    case Dimension::bytes_per_second:
      return "a quantity such as \"12 GB/s\"";
    case Dimension::flops_per_second:
      return "a quantity such as \"900 GFLOP/s\"";
    case Dimension::operations_per_second:
      return "a quantity such as \"100 kIOPS\"";
  }
  return "a quantity";
}

/// Reads one clause's parts and remembers whether anything was wrong with them.
class ClauseReader {
 public:
  ClauseReader(const ClauseInfo& kind, OfferFaults& faults) : kind_(kind), faults_(faults) {}

  void read(const toml::node& node, std::vector<PlacedClause>& out) {
    Clause clause;
    clause.key = kind_.key;
    clause.dimension = kind_.dimension;
    clause.sense = kind_.sense;
    clause.form = kind_.form;
    clause.derate = kind_.derate;
    clause.derate_source = kind_.derate_source;
    clause.place = {faults_.file(), static_cast<std::int64_t>(node.source().begin.line)};
    if (const toml::table* table = node.as_table()) {
      read_table(*table, clause);
    } else if (kind_.value_name != "value") {
      fault(node,
            fmt::format("a bare value does not say what it is; write {{ {} = ..., from = ... }}", kind_.value_name));
    } else {
      read_value(node, clause);
      require_parts(node, clause, false);
    }
    if (sound_) out.push_back({node.source().begin, std::move(clause)});
  }

 private:
  void fault(const toml::node& node, const std::string& what, const std::string& hint = {}) {
    faults_.add(node.source().begin, kind_.key, what, hint);
    sound_ = false;
  }

  void read_table(const toml::table& table, Clause& clause) {
    bool has_value = false;
    for (auto&& [key, node] : table) {
      const std::string_view name = key.str();
      if (name == kind_.value_name) {
        read_value(node, clause);
        has_value = true;
      } else if (name == "direction" && kind_.needs_direction) {
        read_direction(node, clause);
      } else if ((name == "from" || name == "to") && kind_.sized) {
        read_size(name, node, clause);
      } else if (name == "rate" && kind_.needs_rate) {
        read_rate(node, clause);
      } else {
        fault(node, fmt::format("unknown key '{}'{}", name, suggestion(name, allowed())));
      }
    }
    if (!has_value) fault(table, fmt::format("no '{}'", kind_.value_name), "an offer without a number says nothing");
    require_parts(table, clause, true);
  }

  [[nodiscard]] std::vector<std::string> allowed() const {
    std::vector<std::string> names{kind_.value_name};
    if (kind_.needs_direction) names.emplace_back("direction");
    if (kind_.sized) names.insert(names.end(), {"from", "to"});
    if (kind_.needs_rate) names.emplace_back("rate");
    return names;
  }

  void require_parts(const toml::node& node, const Clause& clause, bool table) {
    if (kind_.needs_direction && clause.direction == Direction::none && !bad_direction_) {
      fault(node, "no direction: the number can be read two ways",
            fmt::format("write {{ {} = ..., direction = \"one_way\" }} (or \"both_ways\", the sum)", kind_.value_name));
    }
    if (kind_.sized && !clause.sizes && !bad_size_) {
      fault(node, table ? "no size: neither 'from' nor 'to'" : "no size: a bare value does not say for which sizes",
            "add from = \"1 MiB\" and/or to = \"64 MiB\"");
    }
    if (kind_.needs_rate && !clause.rate && !bad_rate_) {
      fault(node, "no rate: how fast each of them is", "add rate = \"400 Gbit/s\"");
    }
    if (clause.sizes && clause.sizes->from > clause.sizes->to) {
      fault(node, "'from' is larger than 'to'", "swap them");
    }
  }

  void read_value(const toml::node& node, Clause& clause) {
    if (kind_.form == Form::number) {
      read_number(node, clause);
    } else if (kind_.form == Form::flag) {
      const auto yes = node.value_exact<bool>();
      if (!yes) fault(node, "a " + type_name(node) + " is the wrong type", "write true, or leave the clause out");
      if (yes && !*yes) fault(node, "false demands nothing", "leave the clause out, or write true");
    } else {
      read_text(node, clause);
    }
  }

  void read_text(const toml::node& node, Clause& clause) {
    const auto text = node.value_exact<std::string>();
    if (!text) {
      fault(node, "a " + type_name(node) + " is the wrong type", "write " + example_of(kind_));
    } else if (text->find_first_not_of(' ') == std::string::npos) {
      fault(node, "an empty text: anything would meet it", "write " + example_of(kind_));
    } else if (!kind_.words.empty() && std::find(kind_.words.begin(), kind_.words.end(), *text) == kind_.words.end()) {
      fault(node, fmt::format("'{}' is none of the words{}", *text, suggestion(*text, kind_.words)));
    } else {
      clause.text = *text;
    }
  }

  void read_rate(const toml::node& node, Clause& clause) {
    const auto text = node.value_exact<std::string>();
    const auto rate = text ? read_quantity(node, *text, Dimension::bytes_per_second) : std::nullopt;
    bad_rate_ = !rate;
    if (!text) {
      fault(node, "'rate' is no quantity", "write a quantity such as \"400 Gbit/s\"");
    } else if (rate && !(std::isfinite(*rate) && *rate > 0)) {
      fault(node, "'rate' is not above zero: anything would meet it");
    } else {
      clause.rate = rate;
    }
  }

  void read_number(const toml::node& node, Clause& clause) {
    std::optional<double> value;
    if (kind_.dimension == Dimension::count) {
      if (const auto whole = node.value_exact<std::int64_t>()) value = static_cast<double>(*whole);
    } else if (kind_.dimension == Dimension::ratio && node.is_number()) {
      value = node.value<double>();
    } else if (const auto text = node.value_exact<std::string>()) {
      value = read_quantity(node, *text, kind_.dimension);
      if (!value) return;
    }
    if (!value) {
      const bool number = node.is_number() && kind_.dimension != Dimension::count;
      fault(node, number ? "a number without a unit" : "a " + type_name(node) + " is the wrong type",
            "write " + example_of(kind_));
      return;
    }
    check_value(node, *value);
    clause.value = *value;
  }

  void check_value(const toml::node& node, double value) {
    if (!std::isfinite(value)) {
      fault(node, "not a finite number");
    } else if (value < 0) {
      fault(node, "negative");
    } else if (value == 0) {
      fault(node, "zero: anything would meet it", "leave the clause out, or write what was advertised");
    } else if (kind_.dimension == Dimension::ratio && value > 1) {
      fault(node, "larger than 1", "write a share such as 0.9, or \"90 %\"");
    }
  }

  std::optional<double> read_quantity(const toml::node& node, std::string_view text, Dimension dimension) {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc()) {
      fault(node, fmt::format("'{}' does not begin with a number", text), "write " + example_of(kind_));
      return std::nullopt;
    }
    std::string_view unit_text = text.substr(static_cast<std::size_t>(end - text.data()));
    while (unit_text.starts_with(' ')) unit_text.remove_prefix(1);
    const std::string units = "units: " + unit_names(dimension);
    if (unit_text.empty()) {
      fault(node, fmt::format("'{}' has no unit", text), units);
      return std::nullopt;
    }
    const auto unit = parse_unit(unit_text);
    if (!unit) {
      fault(node, fmt::format("'{}' is not a unit", unit_text), units);
      return std::nullopt;
    }
    if (unit->dimension != dimension) {
      fault(node,
            fmt::format("'{}' measures {}, the clause needs {}", unit_text, to_string(unit->dimension),
                        to_string(dimension)),
            units);
      return std::nullopt;
    }
    return number * unit->scale;
  }

  void read_direction(const toml::node& node, Clause& clause) {
    const auto text = node.value_exact<std::string>();
    const auto direction = text ? parse_direction(*text) : std::nullopt;
    if (!direction || *direction == Direction::none) {
      bad_direction_ = true;
      fault(node, "the direction is neither \"one_way\" nor \"both_ways\"");
    } else {
      clause.direction = *direction;
    }
  }

  void read_size(std::string_view name, const toml::node& node, Clause& clause) {
    auto text = node.value_exact<std::string>();
    if (text) std::erase(*text, ' ');
    const auto bytes = text ? parse_bytes(*text) : std::nullopt;
    if (!bytes || !std::isalpha(static_cast<unsigned char>(text->back()))) {
      bad_size_ = true;
      fault(node, fmt::format("'{}' is not a size with a unit", name), "write a size such as \"1 MiB\" or \"8 B\"");
      return;
    }
    if (!clause.sizes) clause.sizes.emplace();
    (name == "from" ? clause.sizes->from : clause.sizes->to) = *bytes;
  }

  const ClauseInfo& kind_;
  OfferFaults& faults_;
  bool sound_ = true;
  bool bad_direction_ = false;
  bool bad_size_ = false;
  bool bad_rate_ = false;
};

std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, change}));
    }
  }
  return row.back();
}

bool before(const toml::source_position& a, const toml::source_position& b) {
  return std::pair(a.line, a.column) < std::pair(b.line, b.column);
}

}  // namespace

void OfferFaults::add(const toml::source_position& at, const std::string& key, const std::string& what,
                      const std::string& hint) {
  faults_.push_back({at, fmt::format("{}:{}: {}: {}{}{}", file_, at.line, key, what, hint.empty() ? "" : "; ", hint)});
}

void OfferFaults::raise() const {
  if (faults_.empty()) return;
  std::vector<Fault> sorted = faults_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Fault& a, const Fault& b) { return before(a.at, b.at); });
  std::vector<std::string_view> lines;
  for (const Fault& fault : sorted) lines.emplace_back(fault.text);
  throw bad_input(fmt::format("{}", fmt::join(lines, "\n")), "docs/offer.md describes every key of an offer");
}

void read_clause(const ClauseInfo& kind, const toml::node& node, std::vector<PlacedClause>& out, OfferFaults& faults) {
  const toml::array* array = node.as_array();
  if (array == nullptr) {
    ClauseReader(kind, faults).read(node, out);
    return;
  }
  if (!kind.sized || array->empty()) {
    faults.add(node.source().begin, kind.key, "an array is the wrong type", "write " + example_of(kind));
    return;
  }
  for (const toml::node& element : *array) ClauseReader(kind, faults).read(element, out);
}

std::optional<double> read_derate(const std::string& key, const toml::node& node, OfferFaults& faults) {
  const auto value = node.is_number() ? node.value<double>() : std::nullopt;
  if (value && *value > 0 && *value <= 1) return value;
  faults.add(node.source().begin, key, "a derate is a number above 0 and at most 1", "write a share such as 0.85");
  return std::nullopt;
}

std::string suggestion(std::string_view text, const std::vector<std::string>& known) {
  const auto closest = std::min_element(known.begin(), known.end(),
                                        [&](const auto& a, const auto& b) { return edits(text, a) < edits(text, b); });
  if (closest != known.end() && edits(text, *closest) <= 3) return fmt::format("; did you mean '{}'?", *closest);
  return fmt::format("; known: {}", fmt::join(known, ", "));
}

}  // namespace assay
