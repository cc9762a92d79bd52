#include "analysis/verdict.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "analysis/offer_check.hpp"
#include "analysis/remarks.hpp"

namespace assay {
namespace {

/// The command that would settle an open clause.
std::string settling_command(const ClauseInfo& kind, Outcome outcome) {
  if (kind.settled_by.case_name.empty()) return "mpirun ... assay run on nodes whose inventory can be read";
  return fmt::format("mpirun ... assay run --suite standard --filter '{}'{}{}", kind.settled_by.filter(),
                     kind.run_options.empty() ? "" : " " + kind.run_options,
                     outcome == Outcome::inconclusive ? " --epochs 15, with nothing else running" : "");
}

Verdict judge_clause(const Clause& clause, const JudgeContext& context, const ClauseRegistry& kinds) {
  Verdict verdict;
  verdict.clause = expected(clause, kinds, context.model, context.catalogue);
  const ClauseInfo* kind = kinds.find(clause.key);
  if (kind == nullptr) {
    verdict.decide(Outcome::not_tested, "this program knows no such clause");
    return verdict;
  }
  kind->judge(verdict, context);
  const Outcome outcome = verdict.outcome;
  if (outcome == Outcome::fail || outcome == Outcome::invalid) verdict.question = kind->question;
  const bool open = outcome == Outcome::inconclusive || outcome == Outcome::not_tested || outcome == Outcome::invalid;
  if (open && verdict.in_scope) verdict.settle = settling_command(*kind, outcome);
  return verdict;
}

/// What was sold; otherwise what most of the cards call themselves.
const Product* model_of(const RunData& run, const Offer& offer, const Catalogue& catalogue) {
  if (offer.find("gpu.model") != nullptr) return advertised_model(offer, catalogue);
  std::map<std::string, int> names;
  for (const auto& gpu : run.gpus) ++names[gpu.name];
  const auto most =
      std::max_element(names.begin(), names.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == names.end() ? nullptr : catalogue.find(most->first);
}

/// "network.all_reduce, node.memory" of the clauses with this outcome.
std::string names(const Judgement& judgement, Outcome outcome) {
  std::vector<std::string> keys;
  for (const Verdict& verdict : judgement.verdicts) {
    if (verdict.outcome == outcome && verdict.in_scope) keys.push_back(verdict.clause.key);
  }
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return fmt::format("{}", fmt::join(keys, ", "));
}

void conclude(Judgement& judgement) {
  const std::string breached = names(judgement, Outcome::attested_breached);
  std::string failed = names(judgement, Outcome::fail);
  if (!breached.empty()) failed += (failed.empty() ? "" : ", ") + breached;
  if (!failed.empty()) {
    judgement.overall = Outcome::fail;
    judgement.summary = "not as advertised: " + failed;
    return;
  }
  for (const Outcome open : {Outcome::invalid, Outcome::inconclusive, Outcome::not_tested}) {
    const std::string keys = names(judgement, open);
    if (keys.empty()) continue;
    if (judgement.summary.empty()) judgement.overall = open;
    judgement.summary += fmt::format("{}{} {}", judgement.summary.empty() ? "" : "; ", to_string(open), keys);
  }
  if (judgement.run.status != "done") {
    if (judgement.summary.empty()) judgement.overall = Outcome::not_tested;
    judgement.summary += fmt::format("{}the run is not complete ({})", judgement.summary.empty() ? "" : "; ",
                                     judgement.run.status.empty() ? "no status" : judgement.run.status);
  }
  if (judgement.summary.empty()) {
    judgement.overall = Outcome::pass;
    judgement.summary = judgement.partial ? "the part that was rented is as advertised" : "as advertised";
  }
}

}  // namespace

std::string_view to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::pass:
      return "PASS";
    case Outcome::fail:
      return "FAIL";
    case Outcome::inconclusive:
      return "INCONCLUSIVE";
    case Outcome::invalid:
      return "INVALID";
    case Outcome::not_tested:
      return "NOT_TESTED";
    case Outcome::attested_met:
      return "ATTESTED_MET";
    case Outcome::attested_breached:
      return "ATTESTED_BREACHED";
  }
  return "INVALID";
}

std::int64_t Judgement::count(Outcome outcome) const {
  return std::count_if(verdicts.begin(), verdicts.end(), [&](const Verdict& v) { return v.outcome == outcome; });
}

ExitCode Judgement::exit_code() const {
  if (overall == Outcome::pass) return ExitCode::ok;
  return overall == Outcome::fail ? ExitCode::clause_failed : ExitCode::incomplete;
}

Judgement judge_run(const RunData& run, const Offer& offer, const ClauseRegistry& kinds, bool partial,
                    const Catalogue& catalogue) {
  Judgement judgement;
  judgement.offer_file = offer.file;
  judgement.provider = offer.provider;
  judgement.product = offer.product;
  judgement.run = run.run;
  judgement.partial = partial;
  judgement.series = static_cast<std::int64_t>(run.series.size());
  judgement.disturbed_series = std::count_if(run.series.begin(), run.series.end(),
                                             [](const results::SeriesRow& row) { return disturbances_of(row) != 0; });
  const SeriesIndex index(run);
  judgement.remarks = remarks(run);
  const JudgeContext context{run, index, offer, catalogue, model_of(run, offer, catalogue), partial};
  for (const Clause& clause : offer.clauses) judgement.verdicts.push_back(judge_clause(clause, context, kinds));
  conclude(judgement);
  return judgement;
}

}  // namespace assay
