#include "analysis/clause.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.hpp"

namespace assay {
namespace {

std::string size_text(std::uint64_t bytes) { return format_quantity(static_cast<double>(bytes), Dimension::bytes); }

std::string_view direction_words(Direction direction) {
  switch (direction) {
    case Direction::one_way:
      return " one way";
    case Direction::both_ways:
      return " both ways together";
    case Direction::none:
      break;
  }
  return "";
}

}  // namespace

std::string Place::text() const { return fmt::format("{}:{}", file, line); }

std::string SizeRange::text() const {
  if (from == to) return "at " + size_text(from);
  if (to == std::numeric_limits<std::uint64_t>::max()) return "from " + size_text(from);
  if (from == 0) return "up to " + size_text(to);
  return size_text(from) + " to " + size_text(to);
}

std::string Clause::title() const { return sizes ? key + ", " + sizes->text() : key; }

std::string Clause::derivation() const {
  if (form == Form::flag) return fmt::format("yes ({})", derate_source);
  if (form == Form::text) return fmt::format("{} ({})", text, derate_source);
  const std::string_view words = sense == Sense::at_least ? "at least" : "at most";
  std::string advertised = fmt::format("{} {}{}", words, format_quantity(value, dimension), direction_words(direction));
  if (rate) advertised += ", each of " + format_quantity(*rate, Dimension::bytes_per_second);
  if (healthy) {
    advertised += fmt::format(", of which healthy hardware reaches {} ({})", format_quantity(*healthy, dimension),
                              healthy_source);
  }
  if (derate == 1) return fmt::format("{} ({})", advertised, derate_source);
  return fmt::format("{} {} {:.4g} ({}) = {}", advertised, sense == Sense::at_least ? "x" : "/", derate, derate_source,
                     format_quantity(limit(), dimension));
}

std::string Clause::needed() const {
  if (form == Form::text) return text;
  if (form == Form::flag) return "yes";
  const std::string limits = (sense == Sense::at_least ? ">= " : "<= ") + format_quantity(limit(), dimension);
  return rate ? limits + " x " + format_quantity(*rate, Dimension::bytes_per_second) : limits;
}

std::string Pattern::filter() const {
  std::string text = case_name + "/";
  for (const auto& [axis, value] : axes) text += fmt::format(".*{}:{}", axis, value);
  return text;
}

void ClauseRegistry::add(ClauseInfo info) {
  const auto dot = info.key.find('.');
  if (dot == std::string::npos || dot == 0 || dot + 1 == info.key.size() || !info.judge) {
    throw environment_error("clause '" + info.key + "' needs a key of the form section.name and a judge function");
  }
  const auto at = std::lower_bound(kinds_.begin(), kinds_.end(), info.key,
                                   [](const ClauseInfo& kind, const std::string& key) { return kind.key < key; });
  if (at != kinds_.end() && at->key == info.key) throw environment_error("clause '" + info.key + "' registered twice");
  kinds_.insert(at, std::move(info));
}

const ClauseInfo* ClauseRegistry::find(std::string_view key) const {
  const auto at = std::lower_bound(kinds_.begin(), kinds_.end(), key,
                                   [](const ClauseInfo& kind, std::string_view k) { return kind.key < k; });
  return at != kinds_.end() && at->key == key ? &*at : nullptr;
}

ClauseRegistry& builtin_clauses() {
  static ClauseRegistry registry;
  return registry;
}

}  // namespace assay
