#include "analysis/locate/stragglers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <utility>

#include "analysis/locate/robust.hpp"

namespace assay::locate {
namespace {

constexpr std::size_t least_ranks = 4;
constexpr double least_spread = 0.002;  ///< relative; timers and rounding

/// What the epochs say about one rank.
struct RankDeviation {
  std::vector<double> epochs;  ///< medians over iterations of own time - median rank's time [s]
  std::vector<double> all;     ///< of every iteration
};

/// The deviations of one collective.
class Deviations {
 public:
  explicit Deviations(const std::vector<RankTimes>& epochs) {
    for (const RankTimes& times : epochs) add(times);
    if (!medians_.empty()) typical_ = median(medians_);
  }

  [[nodiscard]] double typical() const { return typical_; }
  [[nodiscard]] const std::map<int, RankDeviation>& ranks() const { return ranks_; }

 private:
  void add(const RankTimes& times) {
    const std::size_t count = times.ranks.size();
    if (count < least_ranks || times.seconds.size() % count != 0) return;
    const std::size_t iterations = times.seconds.size() / count;
    std::vector<std::vector<double>> deviations(count);
    std::vector<double> column(count);
    for (std::size_t i = 0; i < iterations; ++i) {
      for (std::size_t r = 0; r < count; ++r) column[r] = times.seconds[r * iterations + i];
      const double middle = median(column);
      medians_.push_back(middle);
      for (std::size_t r = 0; r < count; ++r) deviations[r].push_back(column[r] - middle);
    }
    for (std::size_t r = 0; r < count && iterations > 0; ++r) {
      RankDeviation& rank = ranks_[times.ranks[r]];
      rank.epochs.push_back(median(deviations[r]));
      rank.all.insert(rank.all.end(), deviations[r].begin(), deviations[r].end());
    }
  }

  std::map<int, RankDeviation> ranks_;
  std::vector<double> medians_;
  double typical_ = 0;
};

bool symmetric(const std::string& case_name) {
  return case_name.ends_with(".all_reduce") || case_name.ends_with(".all_gather") ||
         case_name.ends_with(".reduce_scatter") || case_name.ends_with(".all_to_all");
}

std::string sentence_of(const Straggler& straggler, const RunData& run) {
  const std::vector<int> rank{straggler.rank};
  return fmt::format("{} {} {:.3g} us {} the others ({:.0f} % of the collective, in {} collective{})",
                     run.describe(rank), straggler.tardiness == Tardiness::arrives_late ? "arrives" : "is done",
                     std::abs(straggler.delay) * 1e6,
                     straggler.tardiness == Tardiness::arrives_late ? "later at collectives than" : "later than",
                     100 * straggler.relative, straggler.cases.size(), straggler.cases.size() == 1 ? "" : "s");
}

/// Collectives of a run: series of equal case, point and set, by epoch.
std::vector<std::vector<RankTimes>> collectives_of(const RunData& run) {
  std::map<std::pair<std::string, std::vector<int>>, std::vector<RankTimes>> sets;
  for (const results::SeriesRow& row : run.series) {
    if (row.status != "ok" || row.ranks < static_cast<std::int32_t>(least_ranks) || !symmetric(row.case_name)) continue;
    const auto members = run.members_of(row);
    const auto samples = run.samples_of(row);
    const bool sound = std::all_of(samples.begin(), samples.end(), [](double s) { return std::isfinite(s) && s > 0; });
    if (!sound || samples.size() != members.size() * static_cast<std::size_t>(row.kept)) continue;
    RankTimes times{
        row.case_name + "/" + row.point, row.epoch, {members.begin(), members.end()}, {samples.begin(), samples.end()}};
    sets[{times.name, times.ranks}].push_back(std::move(times));
  }
  std::vector<std::vector<RankTimes>> collectives;
  for (auto& [key, epochs] : sets) collectives.push_back(std::move(epochs));
  return collectives;
}

}  // namespace

std::vector<Straggler> stragglers_in(const std::vector<RankTimes>& epochs, double comparisons,
                                     const StragglerOptions& options) {
  const Deviations deviations(epochs);
  if (deviations.ranks().size() < least_ranks || !(deviations.typical() > 0)) return {};
  std::vector<double> centres;
  for (const auto& [rank, deviation] : deviations.ranks()) centres.push_back(median(deviation.epochs));
  const double spread = std::max(shorth_scale(centres), least_spread * deviations.typical());
  const double middle = densest_centre(centres, 0.5);
  const double z =
      normal_quantile_above(options.false_alarms / comparisons) * (1 + 4 / static_cast<double>(centres.size()));
  std::vector<Straggler> found;
  for (const auto& [rank, deviation] : deviations.ranks()) {
    const double delay = median(deviation.epochs) - middle;
    const bool early = delay < 0;  // a short time in the collective: the others waited for it
    const double relative = std::abs(delay) / deviations.typical();
    if (std::abs(delay) < z * spread || relative < options.least_relative) continue;
    const auto far = std::count_if(deviation.all.begin(), deviation.all.end(),
                                   [&](double d) { return early ? d < middle + delay / 2 : d > middle + delay / 2; });
    const double share = static_cast<double>(far) / static_cast<double>(deviation.all.size());
    if (share < options.least_share) continue;
    Straggler straggler;
    straggler.rank = rank;
    straggler.tardiness = early ? Tardiness::arrives_late : Tardiness::ends_late;
    straggler.delay = std::abs(delay);
    const Interval interval = median_interval(deviation.epochs);
    straggler.delay_interval = {std::abs(early ? interval.high - middle : interval.low - middle),
                                std::abs(early ? interval.low - middle : interval.high - middle), interval.confidence};
    straggler.relative = relative;
    straggler.share = share;
    straggler.cases = {epochs.front().name};
    found.push_back(std::move(straggler));
  }
  return found;
}

std::vector<Straggler> find_stragglers(const RunData& run, const StragglerOptions& options) {
  const auto collectives = collectives_of(run);
  double comparisons = 0;
  for (const auto& epochs : collectives) comparisons += 2 * static_cast<double>(epochs.front().ranks.size());
  std::map<std::pair<int, Tardiness>, Straggler> merged;
  for (const auto& epochs : collectives) {
    for (Straggler& straggler : stragglers_in(epochs, comparisons, options)) {
      const auto [at, is_new] = merged.try_emplace({straggler.rank, straggler.tardiness}, straggler);
      if (is_new) continue;
      Straggler& known = at->second;
      if (straggler.relative > known.relative) std::swap(known, straggler);
      known.cases.insert(known.cases.end(), straggler.cases.begin(), straggler.cases.end());
    }
  }
  std::vector<Straggler> found;
  for (auto& [key, straggler] : merged) {
    straggler.sentence = sentence_of(straggler, run);
    found.push_back(std::move(straggler));
  }
  std::sort(found.begin(), found.end(), [](const Straggler& a, const Straggler& b) { return a.relative > b.relative; });
  return found;
}

}  // namespace assay::locate
