#include "launcher/run/recorder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "core/random.hpp"
#include "core/statistics.hpp"

namespace assay {

/// What a rank sends beside its samples; trivially copyable.
struct Recorder::Header {
  std::uint64_t iterations = 0;
  std::uint64_t kept = 0;
  SeriesStatus status = SeriesStatus::ok;
  StopReason stop = StopReason::go_on;
  Work work;
  std::uint64_t checked = 0;
  std::uint64_t wrong = 0;
  double measured_seconds = 0;
  double warmup_seconds = 0;
  double setup_seconds = 0;
  std::int64_t involuntary_switches = 0;
};

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

double largest(double a, double b) { return std::max(a, b); }

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

std::vector<Recorded> Recorder::record(const PlannedPoint& planned, int epoch, std::uint64_t number,
                                       const Sampled* sampled, const Surroundings& around) {
  Header mine;
  std::vector<double> kept_seconds;
  std::vector<std::uint64_t> histogram;
  if (sampled != nullptr) {
    const std::size_t ranks = size_of_own_set(planned.sets, world_.rank());
    const std::size_t most = std::max<std::size_t>(1, keep_bytes_ / (sizeof(double) * ranks));
    for (const std::size_t i : choose_subset(sampled->seconds.size(), most, mix(seed_, number)))
      kept_seconds.push_back(sampled->seconds[i]);
    if (kept_seconds.size() < sampled->seconds.size()) histogram = histogram_of(sampled->seconds);
    mine = {sampled->seconds.size(),
            kept_seconds.size(),
            sampled->status,
            sampled->stop,
            sampled->work,
            sampled->check.checked,
            sampled->check.wrong,
            sampled->measured_seconds,
            sampled->warmup_seconds,
            sampled->setup_seconds,
            around.involuntary_switches};
  }
  const auto headers = gather_values<Header>(world_, std::span<const Header>(&mine, 1));
  const auto samples = gather_values<double>(world_, kept_seconds);
  const auto histograms = gather_values<std::uint64_t>(world_, histogram);
  const std::string problem = sampled == nullptr ? "" : sampled->failure + sampled->check.first;
  const std::vector<std::string> problems = gather_texts(world_, problem);
  if (world_.rank() != 0) return {};

  std::vector<Header> of_rank;
  for (const auto& header : headers) of_rank.push_back(header.front());
  std::vector<Recorded> recorded;
  for (const auto& members : planned.sets) {
    results::Series series = assemble(planned, members, of_rank, samples, histograms);
    series.row.epoch = epoch;
    series.row.start_time = around.start_time;
    series.row.end_time = around.end_time;
    series.row.fingerprint_before = around.fingerprint_before;
    series.row.fingerprint_after = around.fingerprint_after;
    series.row.competing_cpus = around.competing_cpus;
    series.row.steal_share = around.steal_share;
    series.row.flags |= flags_of(around);
    series.row.series = writer_->append(series);
    const Header& first = of_rank[static_cast<std::size_t>(members.front())];
    const std::vector<double> seconds =
        combine_seconds(planned.info->combine, series.samples, static_cast<std::size_t>(series.row.ranks));
    recorded.push_back({series.row, series.members, value_of(first.work, median(seconds)),
                        dimension_of(first.work.kind), report_problems(series, problems)});
  }
  return recorded;
}

results::Series Recorder::assemble(const PlannedPoint& planned, const std::vector<int>& members,
                                   const std::vector<Header>& headers, const std::vector<std::vector<double>>& samples,
                                   const std::vector<std::vector<std::uint64_t>>& histograms) const {
  results::Series series;
  series.members.assign(members.begin(), members.end());
  const Header& first = headers[static_cast<std::size_t>(members.front())];
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
  row.checked = static_cast<std::int64_t>(first.checked);
  row.wrong = static_cast<std::int64_t>(first.wrong);
  for (const int member : members) {
    const auto rank = static_cast<std::size_t>(member);
    // A rank that failed may hold fewer iterations than the others: the series then keeps none, never a ragged block.
    if (headers[rank].kept != first.kept) row.kept = 0;
    row.measured_seconds = largest(row.measured_seconds, headers[rank].measured_seconds);
    row.warmup_seconds = largest(row.warmup_seconds, headers[rank].warmup_seconds);
    row.setup_seconds = largest(row.setup_seconds, headers[rank].setup_seconds);
    row.involuntary_switches += headers[rank].involuntary_switches;
  }
  for (const int member : members) {
    const auto rank = static_cast<std::size_t>(member);
    if (row.kept > 0) series.samples.insert(series.samples.end(), samples[rank].begin(), samples[rank].end());
    if (histograms[rank].empty()) continue;
    series.histogram.resize(LogHistogram::bins);
    for (std::size_t bin = 0; bin < series.histogram.size(); ++bin) series.histogram[bin] += histograms[rank][bin];
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
