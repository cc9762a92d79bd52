#include "analysis/json_text.hpp"

#include "analysis/report.hpp"

namespace assay {

std::string json_text(const results::RunInfo& run, nlohmann::ordered_json object, std::string evidence) {
  using nlohmann::ordered_json;
  ordered_json json{{"evidence", evidence.empty() ? hardware_words(run) : std::move(evidence)},
                    {"emulated", run.emulated}};
  json.update(object);
  // Host names and paths may hold bytes that are not UTF-8: shown replaced, never a failure at the end of a run.
  std::string text = json.dump(2, ' ', false, ordered_json::error_handler_t::replace);
  const std::string opening = "{\n  ";
  if (text.starts_with(opening)) text.replace(0, opening.size(), "{");
  return marked(run, text + "\n");
}

}  // namespace assay
