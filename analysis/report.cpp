#include "analysis/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace assay {
namespace {

constexpr std::size_t columns = 100;
constexpr std::size_t label_width = 12;

std::string_view colour_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::pass:
    case Outcome::attested_met:
      return "\033[32m";
    case Outcome::fail:
    case Outcome::attested_breached:
      return "\033[31m";
    case Outcome::inconclusive:
    case Outcome::invalid:
    case Outcome::not_tested:
      return "\033[33m";
  }
  return "";
}

std::string verdict_cell(Outcome outcome, std::size_t width, bool colours) {
  const std::string padded = fmt::format("{:<{}}", to_string(outcome), width);
  return colours ? fmt::format("{}{}\033[0m", colour_of(outcome), padded) : padded;
}

std::string measured_cell(const Verdict& verdict) {
  if (!verdict.found.empty()) return printable(verdict.found);
  if (!verdict.measured) return "-";
  return format_quantity(verdict.measured->value, verdict.clause.dimension);
}

std::string interval_cell(const Verdict& verdict) {
  if (!verdict.measured || verdict.measured->counted()) return "";
  return fmt::format("[{}, {}]", format_quantity(verdict.measured->interval.low, verdict.clause.dimension),
                     format_quantity(verdict.measured->interval.high, verdict.clause.dimension));
}

std::string disturbed_cell(const Verdict& verdict) {
  if (!verdict.measured || verdict.measured->counted() || verdict.measured->disturbed_epochs == 0) return "";
  return fmt::format("{} of {}", verdict.measured->disturbed_epochs, verdict.measured->epochs);
}

std::string table(const Judgement& judgement, bool colours) {
  std::vector<std::array<std::string, 5>> rows{{"CLAUSE", "NEEDED", "MEASURED", "INTERVAL", "DISTURBED"}};
  for (const Verdict& verdict : judgement.verdicts) {
    rows.push_back({verdict.clause.title(), printable(verdict.clause.needed()), measured_cell(verdict),
                    interval_cell(verdict), disturbed_cell(verdict)});
  }
  std::array<std::size_t, 5> width{};
  std::size_t verdict_width = std::string_view("VERDICT").size();
  for (const Verdict& verdict : judgement.verdicts)
    verdict_width = std::max(verdict_width, to_string(verdict.outcome).size());
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) width[i] = std::max(width[i], row[i].size());
  }
  std::string text;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const auto& row = rows[r];
    const std::string cell = r == 0 ? fmt::format("{:<{}}", "VERDICT", verdict_width)
                                    : verdict_cell(judgement.verdicts[r - 1].outcome, verdict_width, colours);
    std::string line = fmt::format("{} {:<{}}  {:>{}}  {:>{}}  {:<{}}  {}", cell, row[0], width[0], row[1], width[1],
                                   row[2], width[2], row[3], width[3], row[4]);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

/// "    label     words wrapped at 100 columns, later lines indented".
void append_wrapped(std::string& text, std::string_view label, std::string_view words) {
  if (words.empty()) return;
  const std::string safe = printable(std::string(words));
  words = safe;
  std::string line = fmt::format("    {:<{}}", label, label_width);
  const std::size_t indent = line.size();
  bool fresh = true;
  while (!words.empty()) {
    const auto space = words.find(' ');
    const std::string_view word = words.substr(0, space);
    if (!fresh && line.size() + 1 + word.size() > columns) {
      text += line + "\n";
      line = std::string(indent, ' ');
      fresh = true;
    }
    if (!fresh) line += ' ';
    line += word;
    fresh = false;
    words = space == std::string_view::npos ? std::string_view() : words.substr(space + 1);
  }
  text += line + "\n";
}

std::string evidence_text(const std::vector<std::int64_t>& series) {
  constexpr std::size_t most = 12;
  if (series.empty()) return "";
  std::string text = "series ";
  for (std::size_t i = 0; i < std::min(most, series.size()); ++i)
    text += (i == 0 ? "" : ", ") + std::to_string(series[i]);
  return series.size() > most ? fmt::format("{} and {} more", text, series.size() - most) : text;
}

void append_details(std::string& text, const Verdict& verdict, bool colours) {
  text += fmt::format("\n{} {}  ({})\n", verdict_cell(verdict.outcome, 0, colours), verdict.clause.title(),
                      verdict.clause.place.text());
  const bool passed = verdict.outcome == Outcome::pass;
  if (!passed) append_wrapped(text, "why", verdict.reason);
  if (!passed) append_wrapped(text, "offer", verdict.clause.derivation());
  append_wrapped(text, "worst", verdict.member);
  for (const std::string& note : verdict.notes) append_wrapped(text, "note", note);
  if (passed) return;
  append_wrapped(text, "evidence", evidence_text(verdict.evidence));
  append_wrapped(text, "likely", verdict.cause);
  append_wrapped(text, "ask", verdict.question);
  // A command, to be copied in one piece.
  if (!verdict.settle.empty()) text += fmt::format("    {:<{}}{}\n", "settle with", label_width, verdict.settle);
}

}  // namespace

std::string hardware_words(const results::RunInfo& run) {
  return run.emulated ? "EMULATED hardware: no evidence about a real machine" : "measured hardware";
}

std::string marked(const results::RunInfo& run, std::string text) {
  if (!run.emulated || text.substr(0, text.find('\n')).find("EMULATED") != std::string::npos) return text;
  return hardware_words(run) + "\n" + text;
}

std::string printable(std::string text) {
  for (char& c : text)
    if ((c >= 0 && c < ' ' && c != '\n') || c == '\x7f') c = '?';
  return text;
}

std::string evidence_line(const Judgement& judgement) {
  const auto settled = std::count_if(judgement.verdicts.begin(), judgement.verdicts.end(), [](const Verdict& v) {
    return v.outcome != Outcome::not_tested && v.outcome != Outcome::inconclusive && v.outcome != Outcome::invalid;
  });
  const double share = judgement.series == 0 ? 0
                                             : 100.0 * static_cast<double>(judgement.disturbed_series) /
                                                   static_cast<double>(judgement.series);
  return fmt::format("{} | {:.0f} % of {} series disturbed | {} of {} clauses settled{}", hardware_words(judgement.run),
                     share, judgement.series, settled, judgement.verdicts.size(),
                     judgement.partial ? " | only a part was rented" : "");
}

std::string report_text(const Judgement& judgement, bool colours) {
  const auto& run = judgement.run;
  std::string text = evidence_line(judgement) + "\n";
  text += fmt::format("run {} of {}: {} rank{} on {} node{}, suite {}, {}{}\n", run.run_id, run.start_utc, run.ranks,
                      run.ranks == 1 ? "" : "s", run.nodes, run.nodes == 1 ? "" : "s", run.suite, run.status,
                      run.status_reason.empty() ? "" : " (" + run.status_reason + ")");
  std::string seller = judgement.provider;
  if (!judgement.product.empty()) seller += (seller.empty() ? "" : ", ") + judgement.product;
  text += fmt::format("offer {}{}\n", judgement.offer_file, seller.empty() ? "" : " (" + seller + ")");
  text = printable(text);
  for (const std::string& remark : judgement.remarks) append_wrapped(text, "remark", remark);
  text += "\n" + table(judgement, colours);
  for (const Verdict& verdict : judgement.verdicts) {
    if (verdict.outcome != Outcome::pass || !verdict.notes.empty()) append_details(text, verdict, colours);
  }
  const std::string_view overall = to_string(judgement.overall);
  text +=
      fmt::format("\noverall: {}: {}\n",
                  colours ? fmt::format("{}{}\033[0m", colour_of(judgement.overall), overall) : std::string(overall),
                  judgement.summary);
  return marked(run, std::move(text));
}

}  // namespace assay
