#include <cmath>
#include <nlohmann/json.hpp>

#include "analysis/json_text.hpp"
#include "analysis/locate/run_location.hpp"

namespace assay::locate {
namespace {

using nlohmann::ordered_json;

/// NaN and infinity are no JSON numbers.
ordered_json number(double value) { return std::isfinite(value) ? ordered_json(value) : ordered_json(nullptr); }

ordered_json interval_json(const Interval& interval) {
  return {{"low", number(interval.low)}, {"high", number(interval.high)}, {"confidence", number(interval.confidence)}};
}

ordered_json part_json(const Part& part) {
  constexpr const char* sides[] = {"both", "sending", "receiving"};
  return {{"kind", to_string(part.kind)},
          {"side", sides[static_cast<std::size_t>(part.side)]},
          {"node", part.node},
          {"unit", part.unit},
          {"other_node", part.other_node},
          {"other_unit", part.other_unit}};
}

ordered_json parts_json(const std::vector<Part>& parts) {
  ordered_json json = ordered_json::array();
  for (const Part& part : parts) json.push_back(part_json(part));
  return json;
}

ordered_json finding_json(const Finding& finding) {
  return {{"sentence", finding.sentence},         {"parts", parts_json(finding.parts)},
          {"factor", number(finding.factor)},     {"factor_interval", interval_json(finding.factor_interval)},
          {"slow_rows", finding.slow_rows},       {"rows", finding.rows},
          {"evidence", number(finding.evidence)}, {"dimension", to_string(finding.dimension)},
          {"matrices", finding.matrices}};
}

ordered_json straggler_json(const Straggler& straggler) {
  return {{"sentence", straggler.sentence},
          {"rank", straggler.rank},
          {"way", straggler.tardiness == Tardiness::arrives_late ? "arrives_late" : "ends_late"},
          {"delay_seconds", number(straggler.delay)},
          {"delay_interval", interval_json(straggler.delay_interval)},
          {"relative", number(straggler.relative)},
          {"share", number(straggler.share)},
          {"cases", straggler.cases}};
}

ordered_json level_json(const Level& level) {
  ordered_json places = ordered_json::array();
  for (std::size_t i = 0; i < level.places.size(); ++i) {
    places.push_back({{"node", level.places[i].node}, {"unit", level.places[i].unit}, {"island", level.islands.of[i]}});
  }
  return {{"kind", to_string(level.kind)},
          {"matrix", level.matrix},
          {"islands", level.islands.count},
          {"fitting", number(level.islands.fitting)},
          {"places", places}};
}

ordered_json matrix_json(const MatrixReport& report) {
  ordered_json groups = ordered_json::array();
  for (const GroupReport& group : report.groups) {
    groups.push_back({{"name", group.name},
                      {"rows", group.rows},
                      {"typical", number(group.typical)},
                      {"relative_sigma", number(group.sigma)}});
  }
  return {{"name", report.name},
          {"dimension", to_string(report.dimension)},
          {"groups", groups},
          {"epoch_relative_sigma", number(report.epoch_sigma)},
          {"disturbed_share", number(report.disturbed_share)},
          {"unexplained_rows", report.suspects.size()},
          {"unexplained_pattern", report.unexplained_pattern}};
}

ordered_json oversubscription_json(const Oversubscription& over) {
  return {{"sentence", over.sentence},
          {"matrix", over.matrix},
          {"ratio", number(over.ratio)},
          {"interval", interval_json(over.interval)},
          {"only_bound", over.only_bound},
          {"all_pairs_share", number(over.together)},
          {"all_pairs_interval", interval_json(over.together_interval)},
          {"islands", over.islands},
          {"full_uplinks", over.full_uplinks}};
}

template <class T>
ordered_json list(const std::vector<T>& values, ordered_json (*json_of)(const T&)) {
  ordered_json json = ordered_json::array();
  for (const T& value : values) json.push_back(json_of(value));
  return json;
}

ordered_json contradiction_json(const Contradiction& contradiction) {
  return {{"sentence", contradiction.sentence}, {"part", part_json(contradiction.part)}};
}

}  // namespace

std::string location_json(const RunData& run, const RunLocation& location) {
  const Localisation& found = location.localisation;
  ordered_json json{{"schema", "assay.location/1"},
                    {"run_id", run.run.run_id},
                    {"findings", list(found.findings, finding_json)},
                    {"stragglers", list(location.stragglers, straggler_json)},
                    {"contradictions", list(found.topology.contradictions, contradiction_json)},
                    {"oversubscription", list(location.oversubscription, oversubscription_json)},
                    {"levels", list(found.topology.levels, level_json)},
                    {"matrices", list(found.matrices, matrix_json)}};
  return json_text(run.run, std::move(json), "");
}

}  // namespace assay::locate
