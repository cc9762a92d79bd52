#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "results/record.hpp"

namespace assay {

/// A JSON object about a run as text. Its first line holds the key "evidence", so that it says EMULATED where the run
/// was: `evidence` or, when empty, what kind of hardware it was. Bytes that are not UTF-8 are shown replaced.
[[nodiscard]] std::string json_text(const results::RunInfo& run, nlohmann::ordered_json object, std::string evidence);

}  // namespace assay
