#include "analysis/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace assay {
namespace {

/// On shared machines figures move by up to 3x with nothing to be seen in the guest (docs/judging.md): a shortfall
/// larger than this is not explained by disturbance.
constexpr double largest_disturbance = 4;

int gravity(Outcome outcome) {
  switch (outcome) {
    case Outcome::attested_met:
    case Outcome::pass:
      return 0;
    case Outcome::inconclusive:
      return 1;
    case Outcome::not_tested:
      return 2;
    case Outcome::invalid:
      return 3;
    case Outcome::attested_breached:
    case Outcome::fail:
      return 4;
  }
  return 4;
}

std::string interval_text(const Clause& clause, const Interval& interval) {
  return fmt::format("[{}, {}]", format_quantity(interval.low, clause.dimension),
                     format_quantity(interval.high, clause.dimension));
}

Comparison breach(const Clause& clause, const Measurement& m) {
  const double nearest = clause.sense == Sense::at_least ? m.interval.high : m.interval.low;
  const double shortfall = clause.sense == Sense::at_least ? clause.limit() / nearest : nearest / clause.limit();
  const std::string text = fmt::format("{} lies {} the limit {}", interval_text(clause, m.interval),
                                       clause.sense == Sense::at_least ? "below" : "above",
                                       format_quantity(clause.limit(), clause.dimension));
  if (m.mostly_oversubscribed()) {
    return {Outcome::inconclusive, text + fmt::format(", but {} of {} epochs were oversubscribed: more ranks than CPUs",
                                                      m.oversubscribed_epochs, m.epochs)};
  }
  if (m.mostly_disturbed() && shortfall < largest_disturbance) {
    return {Outcome::inconclusive, text + fmt::format(", but {} of {} epochs were disturbed ({})", m.disturbed_epochs,
                                                      m.epochs, flag_names(m.flags & disturbance_flags()))};
  }
  return {Outcome::fail, text + (m.mostly_disturbed() ? ", by more than disturbance explains" : "")};
}

Comparison within(const Clause& clause, const Measurement& m) {
  if (m.mostly_slow()) return {Outcome::inconclusive, m.problem + ": too little was measured for a PASS"};
  return {Outcome::pass, fmt::format("{} reaches {}", interval_text(clause, m.interval),
                                     format_quantity(clause.limit(), clause.dimension))};
}

/// Larger = worse; NaN (no value) is worst.
double badness(const Clause& clause, double value) {
  if (std::isnan(value)) return std::numeric_limits<double>::infinity();
  return clause.sense == Sense::at_least ? -value : value;
}

/// "; 3 of 28 below the limit, all of them with node2": where the failing sets have a node in common.
std::string common_ground(const RunData& run, const std::vector<const Measurement*>& failing, std::size_t all) {
  if (failing.size() < 2) return "";
  std::vector<int> common = run.nodes_of(failing.front()->members);
  for (const Measurement* m : failing) {
    const std::vector<int> nodes = run.nodes_of(m->members);
    std::erase_if(common, [&](int node) { return !std::binary_search(nodes.begin(), nodes.end(), node); });
  }
  std::string text = fmt::format("; {} of {} sets fail", failing.size(), all);
  if (common.size() == 1 && run.nodes.size() > 1) text += ", all of them with " + run.host_of(common.front());
  return text;
}

}  // namespace

Comparison compare(const Clause& clause, const Measurement& m) {
  if (m.evidence == Evidence::wrong_data) return {Outcome::fail, m.problem};
  if (m.evidence == Evidence::failed) return {Outcome::not_tested, m.problem};
  if (m.evidence == Evidence::invalid) return {Outcome::invalid, m.problem};
  if (m.epochs == 0 || std::isnan(m.value)) {
    return {m.evidence == Evidence::too_slow ? Outcome::inconclusive : Outcome::not_tested,
            m.problem.empty() ? "no value" : m.problem};
  }
  if (m.dimension != clause.dimension) {
    return {Outcome::not_tested,
            fmt::format("the series measured {}, not {}", to_string(m.dimension), to_string(clause.dimension))};
  }
  if (m.epochs < least_epochs) {
    return {Outcome::inconclusive,
            fmt::format("{} epoch{}; a verdict needs {}", m.epochs, m.epochs == 1 ? "" : "s", least_epochs)};
  }
  const double limit = clause.limit();
  const bool least = clause.sense == Sense::at_least;
  if (least ? m.interval.high < limit : m.interval.low > limit) return breach(clause, m);
  if (least ? m.interval.low >= limit : m.interval.high <= limit) return within(clause, m);
  return {Outcome::inconclusive, fmt::format("the limit {} lies inside {}", format_quantity(limit, clause.dimension),
                                             interval_text(clause, m.interval))};
}

void judge_worst(Verdict& verdict, const std::vector<Measurement>& measurements, const RunData& run,
                 const std::string& missing) {
  verdict.decide(Outcome::not_tested, missing);
  const Measurement* worst = nullptr;
  std::vector<const Measurement*> failing;
  for (const Measurement& m : measurements) {
    const Comparison comparison = compare(verdict.clause, m);
    if (comparison.outcome == Outcome::fail) failing.push_back(&m);
    const int graver = gravity(comparison.outcome) - gravity(verdict.outcome);
    const bool worse = worst == nullptr || graver > 0 ||
                       (graver == 0 && badness(verdict.clause, m.value) > badness(verdict.clause, worst->value));
    if (!worse) continue;
    worst = &m;
    verdict.decide(comparison.outcome, comparison.reason);
  }
  if (worst == nullptr) return;
  if (worst->epochs > 0) verdict.measured = {worst->value, worst->interval, worst->epochs, worst->disturbed_epochs};
  const std::string who = worst->who.empty() ? run.describe(worst->members) : worst->who;
  verdict.member = who + ": " + worst->name;
  verdict.evidence = worst->series;
  verdict.reason += common_ground(run, failing, measurements.size());
}

bool falls_short(const Verdict& verdict) {
  const bool short_or_open = verdict.outcome == Outcome::fail || verdict.outcome == Outcome::inconclusive;
  if (!short_or_open || !verdict.measured) return false;
  const double limit = verdict.clause.limit();
  return verdict.clause.sense == Sense::at_least ? verdict.measured->interval.low < limit
                                                 : verdict.measured->interval.high > limit;
}

void refuse_above(Measurement& m, double ceiling, const std::string& what) {
  if (m.evidence != Evidence::valid || !(m.interval.low > ceiling)) return;
  m.evidence = Evidence::invalid;
  m.problem = fmt::format("{} is more than possible ({} {}): a wrong count, or a cache answered",
                          format_quantity(m.interval.low, m.dimension), what, format_quantity(ceiling, m.dimension));
}

void judge_findings(Verdict& verdict, const std::vector<Finding>& findings, const std::string& unknown,
                    const std::string& sound) {
  constexpr std::size_t most_notes = 16;
  if (findings.empty()) {
    verdict.decide(Outcome::pass, sound);
    require_complete(verdict, unknown);
    return;
  }
  verdict.decide(Outcome::fail, findings.front().what);
  verdict.member = findings.front().member;
  for (std::size_t i = 1; i < std::min(findings.size(), most_notes); ++i) {
    verdict.notes.push_back(findings[i].member + ": " + findings[i].what);
  }
  if (findings.size() > most_notes) verdict.notes.push_back(fmt::format("and {} more", findings.size() - most_notes));
  if (!unknown.empty()) verdict.notes.push_back("nothing known of " + unknown);
}

void judge_counted(Verdict& verdict, const std::vector<Counted>& members) {
  verdict.decide(Outcome::not_tested, "the inventory holds no such figure");
  const Counted* worst = nullptr;
  std::string unknown;
  for (const Counted& member : members) {
    if (!(member.value >= 0)) {
      unknown += (unknown.empty() ? "" : ", ") + member.member;
    } else if (worst == nullptr || badness(verdict.clause, member.value) > badness(verdict.clause, worst->value)) {
      worst = &member;
    }
  }
  if (worst != nullptr) {
    const double limit = verdict.clause.limit();
    const bool met = verdict.clause.sense == Sense::at_least ? worst->value >= limit : worst->value <= limit;
    verdict.measured = Figure{worst->value, {worst->value, worst->value, 1}, 0, 0};
    verdict.member = worst->member;
    verdict.decide(met ? Outcome::pass : Outcome::fail,
                   fmt::format("{} found, {} needed", format_quantity(worst->value, verdict.clause.dimension),
                               format_quantity(limit, verdict.clause.dimension)));
    if (!met) verdict.cause = worst->cause;
  }
  require_complete(verdict, unknown);
}

void require_complete(Verdict& verdict, const std::string& missing_members) {
  if (missing_members.empty()) return;
  if (verdict.outcome == Outcome::pass || verdict.outcome == Outcome::inconclusive) {
    verdict.decide(Outcome::not_tested, "nothing known of " + missing_members);
  } else {
    verdict.notes.push_back("nothing known of " + missing_members);
  }
}

}  // namespace assay
