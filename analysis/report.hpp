#pragma once

#include <string>

#include "analysis/verdict.hpp"

namespace assay {

/// The judgement as text, 100 columns where the words allow: a first line on what the evidence is (emulated, share of
/// disturbed series, scope), a table in the offer's order, and below it each clause that did not pass with its reasons.
/// `colours`: ANSI colours on the verdicts.
[[nodiscard]] std::string report_text(const Judgement& judgement, bool colours);

/// The same as one JSON object; schema "assay.judgement/1" in docs/judging.md. Numbers that are not known are null.
[[nodiscard]] std::string report_json(const Judgement& judgement);

/// "EMULATED hardware ..." or "measured hardware", the share of disturbed series, and the scope, in one line.
[[nodiscard]] std::string evidence_line(const Judgement& judgement);

/// "EMULATED hardware: no evidence about a real machine" or "measured hardware".
[[nodiscard]] std::string hardware_words(const results::RunInfo& run);

/// Every output about a run passes through here on its way out: the first line of an emulated run's says EMULATED, or
/// gets a line in front that does. JSON comes from `json_text`, whose first line says it already.
[[nodiscard]] std::string marked(const results::RunInfo& run, std::string text);

/// Text of others (an offer, a result file) made safe for a terminal: control characters become '?'.
[[nodiscard]] std::string printable(std::string text);

}  // namespace assay
