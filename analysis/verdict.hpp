#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/catalogue.hpp"
#include "analysis/clause.hpp"
#include "analysis/measurement.hpp"
#include "analysis/offer.hpp"
#include "analysis/run_data.hpp"
#include "core/error.hpp"

namespace assay {

enum class Outcome { pass, fail, inconclusive, invalid, not_tested, attested_met, attested_breached };

[[nodiscard]] std::string_view to_string(Outcome outcome);  ///< "PASS", "NOT_TESTED", ...

/// A number found, in the SI base unit of the clause.
struct Figure {
  double value = 0;
  Interval interval;  ///< [value, value] when counted
  int epochs = 0;     ///< 0 when counted
  int disturbed_epochs = 0;
  [[nodiscard]] bool counted() const { return epochs == 0; }
};

/// The answer to one clause.
struct Verdict {
  Clause clause;
  Outcome outcome = Outcome::not_tested;
  bool in_scope = true;  ///< false: left out on purpose (--partial); does not keep the whole from PASS
  std::optional<Figure> measured;
  std::string found;                   ///< what was found, where the clause is no number
  std::string reason;                  ///< why this outcome
  std::string member;                  ///< the worst member: "ranks 3,5 on node1, node2: mpi.pairs/bytes:8"
  std::vector<std::string> notes;      ///< other figures worth knowing
  std::string cause;                   ///< likely cause, when one can be named
  std::string question;                ///< what to ask the provider, when the clause did not pass
  std::string settle;                  ///< what to run to settle it, when open
  std::vector<std::int64_t> evidence;  ///< series ids

  /// A measured or counted number decides nothing else than the outcome: keeps calls short.
  void decide(Outcome as, std::string why) {
    outcome = as;
    reason = std::move(why);
  }
};

/// What a clause's judge may look at.
struct JudgeContext {
  const RunData& run;
  const SeriesIndex& series;
  const Offer& offer;
  const Catalogue& catalogue;
  /// The GPU that was advertised, or when the offer names none, that most cards call themselves; nullptr: not known.
  const Product* model = nullptr;
  bool partial = false;  ///< only a part of the offer's nodes was rented
};

/// Answers to all clauses of an offer, from one run.
struct Judgement {
  std::string offer_file;
  std::string provider;
  std::string product;
  results::RunInfo run;
  std::int64_t series = 0;
  std::int64_t disturbed_series = 0;
  bool partial = false;
  std::vector<std::string> remarks;  ///< what is odd about the run as a whole: ranks missing, GPUs left out
  std::vector<Verdict> verdicts;     ///< in the order of the offer
  Outcome overall = Outcome::not_tested;
  std::string summary;  ///< why the overall outcome

  [[nodiscard]] std::int64_t count(Outcome outcome) const;
  /// 0 PASS; 1 a clause failed; 3 otherwise.
  [[nodiscard]] ExitCode exit_code() const;
};

/// Pure: equal input, equal answer.
[[nodiscard]] Judgement judge_run(const RunData& run, const Offer& offer, const ClauseRegistry& kinds, bool partial,
                                  const Catalogue& catalogue = builtin_catalogue());

}  // namespace assay
