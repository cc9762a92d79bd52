#include "collectives/nccl/trouble.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "core/error.hpp"

namespace assay::nccl {

namespace {

// A report as text: three numbers and the place in the first line, the rest is the words.
std::string report_text(const Report& report) {
  return fmt::format("{} {} {} {}\n{}", report.only_late ? 1 : 0, report.progress.queued, report.progress.done,
                     report.place, report.words);
}

Report parse_report(const std::string& text) {
  std::istringstream lines(text);
  Report report;
  int only_late = 0;
  lines >> only_late >> report.progress.queued >> report.progress.done;
  report.only_late = only_late != 0;
  std::getline(lines >> std::ws, report.place);
  report.words = text.substr(std::min(text.size(), text.find('\n') + 1));
  return report;
}

std::string listed(const std::vector<std::string>& places) {
  constexpr std::size_t most = 8;
  const std::vector<std::string> shown(places.begin(),
                                       places.begin() + static_cast<std::ptrdiff_t>(std::min(most, places.size())));
  const std::string more = places.size() > most ? fmt::format(" and {} more", places.size() - most) : "";
  return fmt::format("{}{}", fmt::join(shown, ", "), more);
}

/// Of ranks that are all late: who queued or finished fewer operations than the one that came furthest.
std::string late_ranks(const std::vector<Report>& reports) {
  Progress most;
  for (const Report& report : reports) {
    most.queued = std::max(most.queued, report.progress.queued);
    most.done = std::max(most.done, report.progress.done);
  }
  std::vector<std::string> behind;
  for (const Report& report : reports) {
    const Progress& own = report.progress;
    if (own.queued < most.queued || own.done < most.done)
      behind.push_back(fmt::format("{} with {} of {} done", report.place, own.done, most.queued));
  }
  if (!behind.empty()) return fmt::format("behind the others ({} done): {}", most.done, listed(behind));
  return fmt::format(
      "operation {} of {} is done on no rank: one of them takes no part in it, or the way between two is broken",
      most.done + 1, most.queued);
}

}  // namespace

void Trouble::guard(const std::function<void()>& step) {
  if (!words_.empty()) return;
  try {
    step();
    return;
  } catch (const Error& error) {
    words_ = error.what();
    hint_ = error.hint();
    only_late_ = error.code() == ExitCode::incomplete;
  } catch (const std::exception& error) {
    words_ = error.what();
  }
  if (words_.empty()) words_ = "unknown error";
}

bool any_trouble(Group& group, const Trouble& trouble) { return max_over(group, trouble ? 1 : 0) > 0; }

std::string diagnosis(const std::vector<Report>& reports) {
  std::vector<std::string> failed;
  for (const Report& report : reports)
    if (!report.words.empty() && !report.only_late) failed.push_back(fmt::format("{}: {}", report.place, report.words));
  return failed.empty() ? late_ranks(reports) : listed(failed);
}

bool names_anybody(const std::vector<Report>& reports) {
  return std::ranges::any_of(reports, [&](const Report& report) {
    const bool behind = report.progress.queued != reports.front().progress.queued ||
                        report.progress.done != reports.front().progress.done;
    return behind || (!report.words.empty() && !report.only_late);
  });
}

void throw_together(Group& group, const Trouble& trouble, const std::string& what, const std::string& place,
                    const Progress& progress, const std::function<std::string()>& probe) {
  std::vector<Report> reports;
  for (const std::string& text :
       all_gather_texts(group, report_text({place, trouble.words(), trouble.only_late(), progress})))
    reports.push_back(parse_report(text));
  const bool own = trouble && !trouble.only_late();
  const std::string hint = own && !trouble.hint().empty()
                               ? trouble.hint()
                               : "measure the ranks named alone, and look at the kernel logs of their nodes";
  std::string words = diagnosis(reports);
  if (probe && !names_anybody(reports)) {
    if (const std::string found = probe(); !found.empty()) words += "; " + found;
  }
  throw environment_error(fmt::format("{}: {}", what, words), hint);
}

void agree(Group& group, const Trouble& trouble, const std::string& what, const std::string& place) {
  if (any_trouble(group, trouble)) throw_together(group, trouble, what, place, {});
}

}  // namespace assay::nccl
