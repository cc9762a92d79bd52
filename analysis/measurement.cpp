#include "analysis/measurement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>
#include <unordered_map>

namespace assay {
namespace {

using results::SeriesRow;

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
/// Fewer equal times in a row happen by chance with a coarse clock.
constexpr std::size_t least_equal_samples = 5;

std::string set_key(const SeriesRow& row, std::span<const std::int32_t> members) {
  std::string key = row.case_name + '\n' + row.point + '\n';
  const std::size_t text = key.size();
  key.resize(text + members.size_bytes());
  if (!members.empty()) std::memcpy(key.data() + text, members.data(), members.size_bytes());
  return key;
}

/// A row's work as core knows it; nothing, and why, when the row cannot be evaluated.
struct RowReading {
  std::optional<Work> work;
  std::optional<Combine> combine;
  std::string fault;
};

RowReading read_row(const SeriesRow& row) {
  RowReading reading;
  const auto kind = parse_work_kind(row.work_kind);
  const auto direction = parse_direction(row.direction);
  reading.combine = parse_combine(row.combine);
  if (!kind || !direction || !reading.combine) {
    reading.fault =
        fmt::format("unknown work '{}', direction '{}' or combination '{}'", row.work_kind, row.direction, row.combine);
  } else if (!(row.work > 0) || !std::isfinite(row.work) || !(row.bus_factor > 0) || !std::isfinite(row.bus_factor)) {
    reading.fault = fmt::format("work {} with bus factor {} is no amount", row.work, row.bus_factor);
  } else {
    reading.work = Work{*kind, row.work, *direction, row.bus_factor};
  }
  return reading;
}

struct EpochValue {
  double value = not_a_number;
  bool all_equal = false;  ///< many samples, one value
  std::string fault;
};

/// Of the whole set, or of its `member`th rank alone.
EpochValue evaluate(const RunData& run, const SeriesRow& row, std::optional<std::size_t> member = std::nullopt) {
  EpochValue epoch;
  RowReading reading = read_row(row);
  // One iteration in which a rank got stuck: rates of the other ranks must not hide it.
  if (row.status == "too_slow") reading.combine = Combine::slowest;
  epoch.fault = reading.fault;
  if (!reading.work) return epoch;
  std::span<const double> samples = run.samples_of(row);
  if (row.ranks < 1 || row.kept < 1 || row.count != row.ranks * row.kept) {
    epoch.fault = fmt::format("{} samples for {} ranks and {} kept iterations", row.count, row.ranks, row.kept);
    return epoch;
  }
  auto ranks = static_cast<std::size_t>(row.ranks);
  if (member) {
    samples = samples.subspan(*member * static_cast<std::size_t>(row.kept), static_cast<std::size_t>(row.kept));
    reading.work->amount /= row.ranks;
    ranks = 1;
  }
  const bool sound = std::all_of(samples.begin(), samples.end(), [](double s) { return std::isfinite(s) && s > 0; });
  if (!sound) {
    epoch.fault = "samples that are NaN, infinite, zero or negative";
    return epoch;
  }
  const auto seconds = combine_seconds(*reading.combine, samples, ranks);
  epoch.all_equal = seconds.size() >= least_equal_samples &&
                    std::all_of(seconds.begin(), seconds.end(), [&](double s) { return s == seconds.front(); });
  epoch.value = value_of(*reading.work, median(seconds));
  if (!std::isfinite(epoch.value)) epoch.fault = "no finite value";
  return epoch;
}

/// The text of the error that ended a series.
std::string event_text(const RunData& run, std::int64_t series) {
  for (const auto& event : run.events) {
    if (event.series == series && event.severity == "error") {
      return event.rank < 0 ? event.text : fmt::format("rank {}: {}", event.rank, event.text);
    }
  }
  return "no reason recorded";
}

/// True when the events of the series name ranks, but not this one.
bool blamed_on_others(const RunData& run, std::int64_t series, int rank) {
  bool named = false;
  for (const auto& event : run.events) {
    if (event.series != series || event.rank < 0) continue;
    if (event.rank == rank) return false;
    named = true;
  }
  return named;
}

/// Gathers a set's rows into a Measurement; the gravest problem wins, whatever order the rows come in.
class Gatherer {
 public:
  /// Of the whole set, or of its `member`th rank alone.
  Gatherer(const RunData& run, const SeriesSet& set, std::optional<std::size_t> member = std::nullopt)
      : run_(run), member_(member) {
    result_.name = set.name();
    result_.members = member ? std::vector<int>{set.members[*member]} : set.members;
  }

  void add(const SeriesRow& row) {
    result_.series.push_back(row.series);
    result_.flags |= row.flags;
    if (const auto kind = parse_work_kind(row.work_kind)) result_.dimension = dimension_of(*kind);
    result_.direction = parse_direction(row.direction).value_or(Direction::none);
    disturbed_[row.epoch] = disturbed_[row.epoch] || disturbances_of(row) != 0;
    oversubscribed_[row.epoch] =
        oversubscribed_[row.epoch] || (disturbances_of(row) & results::flag_oversubscribed) != 0;
    if (row.wrong < 0 || row.checked < 0 || row.iterations < row.kept) {
      raise(Evidence::invalid,
            fmt::format("series {} counts {} wrong of {} checked elements and {} kept of {} iterations", row.series,
                        row.wrong, row.checked, row.kept, row.iterations));
    } else if ((row.status == "wrong_data" || row.wrong > 0) && spared(row)) {
      add_ok(row);
    } else if (row.status == "wrong_data" || row.wrong > 0) {
      raise(Evidence::wrong_data, fmt::format("wrong data: {} of {} checked elements in epoch {} (series {})",
                                              row.wrong, row.checked, row.epoch, row.series));
    } else if (row.status == "failed") {
      raise(Evidence::failed, fmt::format("failed in epoch {}: {}", row.epoch, event_text(run_, row.series)));
    } else if (row.status == "too_slow") {
      raise(Evidence::too_slow, fmt::format("given up as too slow in epoch {}", row.epoch));
      slow_[row.epoch] = true;
      if (row.count > 0) add_value(row, evaluate(run_, row, member_));
    } else if (row.status == "ok") {
      add_ok(row);
    } else {
      raise(Evidence::invalid, fmt::format("unknown status '{}' of series {}", row.status, row.series));
    }
  }

  Measurement finish() {
    if (equal_rows_ > 0 && equal_rows_ == evaluated_rows_) {
      raise(Evidence::invalid, "all samples of every epoch are identical: averages in place of samples");
    }
    std::vector<double> values;
    for (const auto& [epoch, of_epoch] : values_) {
      values.push_back(median(of_epoch));
      result_.disturbed_epochs += disturbed_[epoch] ? 1 : 0;
      result_.oversubscribed_epochs += oversubscribed_[epoch] ? 1 : 0;
      result_.slow_epochs += slow_[epoch] ? 1 : 0;
    }
    result_.epochs = static_cast<int>(values.size());
    result_.value = median(values);
    result_.interval = median_interval(values);
    result_.evidence = gravest_;
    std::sort(result_.series.begin(), result_.series.end());
    return std::move(result_);
  }

 private:
  void raise(Evidence evidence, const std::string& problem) {
    const auto gravity = [](Evidence e) {
      switch (e) {
        case Evidence::valid:
          return 0;
        case Evidence::too_slow:
          return 1;
        case Evidence::failed:
          return 2;
        case Evidence::invalid:
          return 3;
        case Evidence::wrong_data:
          return 4;
      }
      return 3;
    };
    if (gravity(evidence) <= gravity(gravest_)) return;
    gravest_ = evidence;
    result_.problem = problem;
  }

  void add_ok(const SeriesRow& row) {
    if (row.checked <= 0) {
      raise(Evidence::invalid, fmt::format("no data was verified in series {}", row.series));
      return;
    }
    add_value(row, evaluate(run_, row, member_));
  }

  void add_value(const SeriesRow& row, const EpochValue& epoch) {
    if (!epoch.fault.empty()) {
      raise(Evidence::invalid, fmt::format("{} in series {}", epoch.fault, row.series));
      return;
    }
    ++evaluated_rows_;
    equal_rows_ += epoch.all_equal ? 1 : 0;
    if (!std::isnan(epoch.value)) values_[row.epoch].push_back(epoch.value);
  }

  [[nodiscard]] bool spared(const SeriesRow& row) const {
    return member_ && blamed_on_others(run_, row.series, result_.members.front());
  }

  const RunData& run_;
  std::optional<std::size_t> member_;
  Measurement result_;
  Evidence gravest_ = Evidence::valid;
  std::map<int, std::vector<double>> values_;
  std::map<int, bool> disturbed_;
  std::map<int, bool> oversubscribed_;
  std::map<int, bool> slow_;
  int evaluated_rows_ = 0;
  int equal_rows_ = 0;
};

bool has_axes(const Point& point, const Pattern& pattern) {
  return std::all_of(pattern.axes.begin(), pattern.axes.end(),
                     [&](const auto& axis) { return point.has(axis.first) && point.get(axis.first) == axis.second; });
}

}  // namespace

SeriesIndex::SeriesIndex(const RunData& run) {
  std::unordered_map<std::string, std::size_t> known;
  for (const SeriesRow& row : run.series) {
    const auto members = run.members_of(row);
    const auto [at, is_new] = known.try_emplace(set_key(row, members), sets_.size());
    if (is_new) {
      sets_.push_back({row.case_name,
                       row.point,
                       Point::parse(row.point).value_or(Point()),
                       std::vector<int>(members.begin(), members.end()),
                       {}});
    }
    sets_[at->second].rows.push_back(&row);
  }
}

std::vector<const SeriesSet*> SeriesIndex::matching(const Pattern& pattern) const {
  std::vector<const SeriesSet*> found;
  for (const SeriesSet& set : sets_) {
    if (set.case_name == pattern.case_name && has_axes(set.point, pattern)) found.push_back(&set);
  }
  return found;
}

Measurement Measurement::shared_by(int n) const {
  Measurement share = *this;
  share.value /= n;
  share.interval.low /= n;
  share.interval.high /= n;
  return share;
}

Measurement measure(const RunData& run, const SeriesSet& set) {
  Gatherer gatherer(run, set);
  for (const SeriesRow* row : set.rows) gatherer.add(*row);
  return gatherer.finish();
}

std::vector<Measurement> measure_members(const RunData& run, const SeriesSet& set) {
  std::vector<Measurement> each;
  for (std::size_t member = 0; member < set.members.size(); ++member) {
    Gatherer gatherer(run, set, member);
    for (const SeriesRow* row : set.rows) gatherer.add(*row);
    each.push_back(gatherer.finish());
  }
  return each;
}

double epoch_value(const RunData& run, const SeriesRow& row) { return evaluate(run, row).value; }

Measurement ratio_of(const Measurement& whole, const Measurement& base, double times, std::string name) {
  Measurement m = whole;
  m.name = std::move(name);
  m.dimension = Dimension::ratio;
  m.value = whole.value / (base.value * times);
  m.interval = {whole.interval.low / (base.interval.high * times), whole.interval.high / (base.interval.low * times),
                std::min(whole.interval.confidence, base.interval.confidence)};
  m.epochs = std::min(whole.epochs, base.epochs);
  m.disturbed_epochs = std::min(m.epochs, std::max(whole.disturbed_epochs, base.disturbed_epochs));
  m.oversubscribed_epochs = std::min(m.epochs, std::max(whole.oversubscribed_epochs, base.oversubscribed_epochs));
  m.slow_epochs = std::min(m.epochs, std::max(whole.slow_epochs, base.slow_epochs));
  m.flags |= base.flags;
  if (whole.evidence == Evidence::valid && base.evidence != Evidence::valid) {
    m.evidence = base.evidence;
    m.problem = "base: " + base.problem;
  }
  m.series.insert(m.series.end(), base.series.begin(), base.series.end());
  std::sort(m.series.begin(), m.series.end());
  m.series.erase(std::unique(m.series.begin(), m.series.end()), m.series.end());
  return m;
}

std::string flag_names(std::uint32_t flags) {
  constexpr std::pair<results::SeriesFlag, const char*> names[] = {
      {results::flag_contaminated, "contaminated"},
      {results::flag_steal, "steal"},
      {results::flag_placement_moved, "placement moved"},
      {results::flag_oversubscribed, "oversubscribed"},
      {results::flag_subset, "subset"},
      {results::flag_late_start, "late start"},
      {results::flag_throttled, "throttled"},
      {results::flag_clock_changed, "clock changed"},
  };
  std::string text;
  for (const auto& [flag, name] : names) {
    if ((flags & flag) != 0) text += (text.empty() ? "" : ", ") + std::string(name);
  }
  return text;
}

std::uint32_t disturbances_of(const SeriesRow& row) {
  return row.timing == "device" ? 0 : row.flags & disturbance_flags();
}

std::uint32_t disturbance_flags() {
  return results::flag_contaminated | results::flag_steal | results::flag_placement_moved |
         results::flag_oversubscribed;
}

}  // namespace assay
