#include <cmath>
#include <nlohmann/json.hpp>

#include "analysis/json_text.hpp"
#include "analysis/report.hpp"

namespace assay {
namespace {

using nlohmann::ordered_json;

/// NaN and infinity are no JSON numbers.
ordered_json number(double value) { return std::isfinite(value) ? ordered_json(value) : ordered_json(nullptr); }

std::string_view unit_of(Dimension dimension) {
  switch (dimension) {
    case Dimension::ratio:
    case Dimension::count:
      return "1";
    case Dimension::bytes:
      return "B";
    case Dimension::seconds:
      return "s";
    case Dimension::bytes_per_second:
      return "B/s";
    case Dimension::flops_per_second:
      return "FLOP/s";
    case Dimension::operations_per_second:
      return "1/s";
  }
  return "1";
}

ordered_json clause_json(const Clause& clause) {
  ordered_json json{{"key", clause.key},
                    {"file", clause.place.file},
                    {"line", clause.place.line},
                    {"value", number(clause.value)},
                    {"unit", unit_of(clause.dimension)},
                    {"sense", clause.sense == Sense::at_least ? "at_least" : "at_most"},
                    {"direction", to_string(clause.direction)},
                    {"derate", number(clause.derate)},
                    {"derate_source", clause.derate_source},
                    {"limit", number(clause.limit())},
                    {"derivation", clause.derivation()},
                    {"healthy", clause.healthy ? number(*clause.healthy) : ordered_json(nullptr)},
                    {"healthy_source", clause.healthy_source},
                    {"text", clause.text},
                    {"rate", clause.rate ? number(*clause.rate) : ordered_json(nullptr)},
                    {"sizes", nullptr}};
  if (clause.sizes) json["sizes"] = {{"from", clause.sizes->from}, {"to", clause.sizes->to}};
  return json;
}

ordered_json figure_json(const std::optional<Figure>& figure) {
  if (!figure) return nullptr;
  return {{"value", number(figure->value)},
          {"low", number(figure->interval.low)},
          {"high", number(figure->interval.high)},
          {"confidence", number(figure->interval.confidence)},
          {"epochs", figure->epochs},
          {"disturbed_epochs", figure->disturbed_epochs},
          {"counted", figure->counted()}};
}

ordered_json verdict_json(const Verdict& verdict) {
  return {{"clause", clause_json(verdict.clause)},
          {"outcome", to_string(verdict.outcome)},
          {"in_scope", verdict.in_scope},
          {"measured", figure_json(verdict.measured)},
          {"found", verdict.found},
          {"reason", verdict.reason},
          {"member", verdict.member},
          {"notes", verdict.notes},
          {"cause", verdict.cause},
          {"question", verdict.question},
          {"settle", verdict.settle},
          {"evidence", verdict.evidence}};
}

}  // namespace

std::string report_json(const Judgement& judgement) {
  const auto& run = judgement.run;
  ordered_json json{{"schema", "assay.judgement/1"},
                    {"overall", to_string(judgement.overall)},
                    {"summary", judgement.summary},
                    {"exit_code", static_cast<int>(judgement.exit_code())},
                    {"partial", judgement.partial},
                    {"series", judgement.series},
                    {"disturbed_series", judgement.disturbed_series}};
  json["run"] = {{"id", run.run_id},         {"start_utc", run.start_utc},
                 {"suite", run.suite},       {"filter", run.filter},
                 {"ranks", run.ranks},       {"nodes", run.nodes},
                 {"status", run.status},     {"status_reason", run.status_reason},
                 {"imported", run.imported}, {"assay_version", run.assay_version}};
  json["offer"] = {{"file", judgement.offer_file}, {"provider", judgement.provider}, {"product", judgement.product}};
  json["remarks"] = judgement.remarks;
  json["verdicts"] = ordered_json::array();
  for (const Verdict& verdict : judgement.verdicts) json["verdicts"].push_back(verdict_json(verdict));
  return json_text(run, std::move(json), evidence_line(judgement));
}

}  // namespace assay
