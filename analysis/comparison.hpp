#pragma once

#include <string>
#include <vector>

#include "analysis/verdict.hpp"

namespace assay {

/// Outcome of one measurement against a clause, and why. FAIL when the interval lies beyond the limit, PASS when it
/// lies at or within it, INCONCLUSIVE when the limit is inside, with fewer than `least_epochs` epochs, or when a FAIL
/// rests mostly on disturbed epochs. Wrong data is FAIL, an unfinished series NOT_TESTED, impossible numbers INVALID.
struct Comparison {
  Outcome outcome = Outcome::not_tested;
  std::string reason;
};
[[nodiscard]] Comparison compare(const Clause& clause, const Measurement& measurement);

/// Judges each measurement on its own and lets the worst decide: outcome, figure, member, reason and evidence go into
/// `verdict`. FAIL outweighs INVALID, then NOT_TESTED, INCONCLUSIVE, PASS; among equals the value farthest on the bad
/// side. Without measurements: NOT_TESTED with `missing` as reason.
void judge_worst(Verdict& verdict, const std::vector<Measurement>& measurements, const RunData& run,
                 const std::string& missing);

/// True when a figure that does not reach the limit stands behind a FAIL or INCONCLUSIVE: then a cause is worth naming.
[[nodiscard]] bool falls_short(const Verdict& verdict);

/// A figure above what is possible becomes INVALID. `what` names the ceiling: "PCIe 5 x16 carries". NaN: no ceiling.
void refuse_above(Measurement& measurement, double ceiling, const std::string& what);

/// What was found on the members, not one number each: FAIL with the first finding as reason and the others as notes.
struct Finding {
  std::string member;
  std::string what;
};
/// `unknown`: members or facts of which nothing is known, in words; `sound`: why it passes when there is no finding.
void judge_findings(Verdict& verdict, const std::vector<Finding>& findings, const std::string& unknown,
                    const std::string& sound);

/// The same for numbers that were counted: `value` of the worst member; NaN or negative = not known = NOT_TESTED.
struct Counted {
  std::string member;
  double value = 0;
  std::string cause;
};
void judge_counted(Verdict& verdict, const std::vector<Counted>& members);

/// Makes a verdict that would be PASS into NOT_TESTED when members are missing; otherwise only notes them.
void require_complete(Verdict& verdict, const std::string& missing_members);

}  // namespace assay
