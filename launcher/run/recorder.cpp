#include "launcher/run/recorder.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "core/random.hpp"
#include "core/statistics.hpp"

namespace assay {

namespace {

std::vector<std::uint64_t> histogram_of(const std::vector<double>& seconds) {
  std::vector<std::uint64_t> counts(LogHistogram::bins, 0);
  for (const double value : seconds) ++counts[LogHistogram::bin_of(value)];
  return counts;
}

std::size_t size_of_own_set(const RankSets& sets, int rank) {
  for (const auto& set : sets)
    if (std::find(set.begin(), set.end(), rank) != set.end()) return set.size();
  return 1;
}

std::uint32_t flags_of(const Surroundings& around) {
  using namespace results;
  // Thresholds: docs/results.md, column flags. The kernel counts CPU time in 10 ms steps: short windows are uncertain.
  const double counting_noise = 0.03 / (around.end_time - around.start_time);
  std::uint32_t flags = 0;
  if (around.competing_cpus > 0.1 + counting_noise) flags |= flag_contaminated;
  if (around.steal_share > 0.01 + counting_noise) flags |= flag_steal;
  const double ratio = around.fingerprint_after / around.fingerprint_before;
  if (ratio > 1.5 || ratio < 1 / 1.5) flags |= flag_placement_moved;
  if (around.oversubscribed) flags |= flag_oversubscribed;
  return flags;
}

/// Each different text once, in the order of the ranks.
std::string joined_methods(const std::vector<int>& members, const std::vector<std::string>& methods) {
  std::vector<std::string> known;
  for (const int member : members) {
    const std::string& text = methods[static_cast<std::size_t>(member)];
    if (!text.empty() && std::find(known.begin(), known.end(), text) == known.end()) known.push_back(text);
  }
  return fmt::format("{}", fmt::join(known, " | "));
}

void describe_surroundings(results::SeriesRow& row, int epoch, const Surroundings& around) {
  row.epoch = epoch;
  row.start_time = around.start_time;
  row.end_time = around.end_time;
  row.fingerprint_before = around.fingerprint_before;
  row.fingerprint_after = around.fingerprint_after;
  row.competing_cpus = around.competing_cpus;
  row.steal_share = around.steal_share;
  row.flags |= flags_of(around);
}

}  // namespace

std::vector<std::size_t> choose_subset(std::size_t total, std::size_t kept, std::uint64_t seed) {
  std::vector<std::size_t> chosen;
  if (kept >= total) {
    chosen.resize(total);
    std::iota(chosen.begin(), chosen.end(), std::size_t{0});
    return chosen;
  }
  // Selection sampling (Knuth, TAOCP vol. 2, algorithm S): one pass, ascending, every subset equally likely.
  Random random(seed);
  for (std::size_t i = 0; i < total && chosen.size() < kept; ++i) {
    const auto wanted = static_cast<double>(kept - chosen.size());
    if (random.uniform() * static_cast<double>(total - i) < wanted) chosen.push_back(i);
  }
  return chosen;
}

Recorder::Contribution Recorder::contribution(const PlannedPoint& planned, std::uint64_t number, const Sampled& sampled,
                                              const Surroundings& around) const {
  Contribution mine;
  const std::size_t ranks = size_of_own_set(planned.sets, world_.rank());
  const std::size_t most = std::max<std::size_t>(1, keep_bytes_ / (sizeof(double) * ranks));
  for (const std::size_t i : choose_subset(sampled.seconds.size(), most, mix(seed_, number)))
    mine.seconds.push_back(sampled.seconds[i]);
  if (mine.seconds.size() < sampled.seconds.size()) mine.histogram = histogram_of(sampled.seconds);
  mine.problem = sampled.failure + sampled.check.first;
  mine.method = sampled.method;
  Header& header = mine.header;
  header.iterations = sampled.seconds.size();
  header.kept = mine.seconds.size();
  header.status = sampled.status;
  header.stop = sampled.stop;
  header.work = sampled.work;
  header.checked = sampled.check.checked;
  header.wrong = sampled.check.wrong;
  header.measured_seconds = sampled.measured_seconds;
  header.warmup_seconds = sampled.warmup_seconds;
  header.setup_seconds = sampled.setup_seconds;
  header.involuntary_switches = around.involuntary_switches;
  return mine;
}

std::vector<Recorded> Recorder::record(const PlannedPoint& planned, int epoch, std::uint64_t number,
                                       const Sampled* sampled, const Surroundings& around,
                                       const std::vector<std::uint32_t>& set_flags) {
  const Contribution mine = sampled == nullptr ? Contribution{} : contribution(planned, number, *sampled, around);
  Gathered all;
  for (const auto& header : gather_values<Header>(world_, std::span<const Header>(&mine.header, 1)))
    all.headers.push_back(header.front());
  all.samples = gather_values<double>(world_, mine.seconds);
  all.histograms = gather_values<std::uint64_t>(world_, mine.histogram);
  all.problems = gather_texts(world_, mine.problem);
  all.methods = gather_texts(world_, mine.method);
  std::vector<Recorded> recorded;
  if (world_.rank() != 0) return recorded;
  for (const auto& members : planned.sets) {
    results::Series series = assemble(planned, members, all);
    describe_surroundings(series.row, epoch, around);
    if (recorded.size() < set_flags.size()) series.row.flags |= set_flags[recorded.size()];
    series.row.series = writer_->append(series);
    const Work& work = all.headers[static_cast<std::size_t>(members.front())].work;
    const std::vector<double> seconds =
        combine_seconds(planned.info->combine, series.samples, static_cast<std::size_t>(series.row.ranks));
    recorded.push_back({series.row, series.members, value_of(work, median(seconds)), dimension_of(work.kind),
                        report_problems(series, all.problems)});
  }
  return recorded;
}

results::Series Recorder::assemble(const PlannedPoint& planned, const std::vector<int>& members, const Gathered& all) {
  results::Series series;
  series.members.assign(members.begin(), members.end());
  const Header& first = all.headers[static_cast<std::size_t>(members.front())];
  results::SeriesRow& row = series.row;
  row.case_name = planned.info->name;
  row.point = planned.point.text();
  row.status = to_string(first.status);
  row.ranks = static_cast<std::int32_t>(members.size());
  row.peer = members.size() == 2 ? members.back() : -1;
  row.kept = static_cast<std::int64_t>(first.kept);
  row.iterations = static_cast<std::int64_t>(first.iterations);
  row.work_kind = to_string(first.work.kind);
  row.work = first.work.amount;
  row.direction = to_string(first.work.direction);
  row.bus_factor = first.work.bus_factor;
  row.timing = to_string(planned.info->timing);
  row.combine = to_string(planned.info->combine);
  row.stop_reason = to_string(first.stop);
  row.method = joined_methods(members, all.methods);
  row.checked = static_cast<std::int64_t>(first.checked);
  row.wrong = static_cast<std::int64_t>(first.wrong);
  for (const int member : members) {
    const auto rank = static_cast<std::size_t>(member);
    // A rank that failed may hold fewer iterations than the others: the series then keeps none, never a ragged block.
    if (all.headers[rank].kept != first.kept) row.kept = 0;
    row.measured_seconds = std::max(row.measured_seconds, all.headers[rank].measured_seconds);
    row.warmup_seconds = std::max(row.warmup_seconds, all.headers[rank].warmup_seconds);
    row.setup_seconds = std::max(row.setup_seconds, all.headers[rank].setup_seconds);
    row.involuntary_switches += all.headers[rank].involuntary_switches;
  }
  for (const int member : members) {
    const auto rank = static_cast<std::size_t>(member);
    if (row.kept > 0) series.samples.insert(series.samples.end(), all.samples[rank].begin(), all.samples[rank].end());
    if (all.histograms[rank].empty()) continue;
    series.histogram.resize(LogHistogram::bins);
    for (std::size_t bin = 0; bin < series.histogram.size(); ++bin) series.histogram[bin] += all.histograms[rank][bin];
    row.flags |= results::flag_subset;
  }
  return series;
}

std::string Recorder::report_problems(const results::Series& series, const std::vector<std::string>& problems) {
  std::string first;
  for (const std::int32_t member : series.members) {
    const std::string& text = problems[static_cast<std::size_t>(member)];
    if (text.empty()) continue;
    if (first.empty()) first = text;
    results::EventRow event;
    event.time = series.row.end_time;
    event.severity = "error";
    event.series = series.row.series;
    event.rank = member;
    event.text = fmt::format("{}/{}: {}: {}", series.row.case_name, series.row.point, series.row.status, text);
    writer_->append(std::vector{event});
  }
  return first;
}

}  // namespace assay
