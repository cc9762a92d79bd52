#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "analysis/clause.hpp"
#include "analysis/run_data.hpp"
#include "core/case.hpp"
#include "core/point.hpp"
#include "core/statistics.hpp"

namespace assay {

/// Epochs that a verdict needs at least: fewer say nothing about how the figure moves over the run.
inline constexpr int least_epochs = 5;

/// All epochs of one case at one point by one set of ranks.
struct SeriesSet {
  std::string case_name;
  std::string point_text;
  Point point;
  std::vector<int> members;                     ///< world ranks, ascending
  std::vector<const results::SeriesRow*> rows;  ///< into the RunData

  [[nodiscard]] std::string name() const { return case_name + "/" + point_text; }
};

/// The series of a run, grouped into sets in the order of their first appearance. Keeps pointers into `run`.
class SeriesIndex {
 public:
  /// Throws Error(bad_input) for a row that points outside of the tables.
  explicit SeriesIndex(const RunData& run);
  [[nodiscard]] const std::vector<SeriesSet>& sets() const { return sets_; }
  [[nodiscard]] std::vector<const SeriesSet*> matching(const Pattern& pattern) const;

 private:
  std::vector<SeriesSet> sets_;
};

/// What a set of series comes to as evidence.
enum class Evidence {
  valid,
  too_slow,    ///< given up after one cold iteration in some epoch; that iteration, unverified, counts as its value
  wrong_data,  ///< the data that arrived was not the data that was sent
  failed,      ///< did not finish
  invalid,     ///< numbers that cannot be true: NaN, zero or negative time, averages in place of samples, unverified
};

struct Measurement {
  std::string name;          ///< "mpi.all_reduce/bytes:8"
  std::vector<int> members;  ///< world ranks
  std::string who = {};      ///< the members in words, where "rank 3 on node2" would not name the part
  Evidence evidence = Evidence::invalid;
  std::string problem;                                      ///< what is the matter, when not valid
  double value = std::numeric_limits<double>::quiet_NaN();  ///< median over the epochs of the medians over iterations
  Interval interval;                                        ///< of the median of epochs, from order statistics
  Dimension dimension = Dimension::seconds;
  Direction direction = Direction::none;
  int epochs = 0;
  int disturbed_epochs = 0;  ///< contaminated, stolen from, placement moved or oversubscribed
  int oversubscribed_epochs = 0;
  int slow_epochs = 0;               ///< given up as too slow
  std::uint32_t flags = 0;           ///< of all rows together
  std::vector<std::int64_t> series;  ///< ids

  [[nodiscard]] bool mostly_disturbed() const { return 2 * disturbed_epochs > epochs; }
  [[nodiscard]] bool mostly_oversubscribed() const { return 2 * oversubscribed_epochs > epochs; }
  [[nodiscard]] bool mostly_slow() const { return 2 * slow_epochs > epochs; }
  /// All figures divided: a set over n nodes as the figure of one.
  [[nodiscard]] Measurement shared_by(int n) const;
};

/// Pure. The value of an epoch is value_of(work, median over the iterations of the set's seconds): the slowest rank's
/// or the concurrent combination, as the series says, with the bus factor applied.
[[nodiscard]] Measurement measure(const RunData& run, const SeriesSet& set);

/// The same for each member of the set on its own: its seconds, and an equal share of the work. Wrong data is laid at
/// the members that the events of the series name; at all, when they name none.
[[nodiscard]] std::vector<Measurement> measure_members(const RunData& run, const SeriesSet& set);

/// Value of one series alone, in the same way; NaN when it has no sound samples.
[[nodiscard]] double epoch_value(const RunData& run, const results::SeriesRow& row);

/// `whole` / (`base` * times) with the widest interval that the two allow. A base that is not valid spoils the whole.
[[nodiscard]] Measurement ratio_of(const Measurement& whole, const Measurement& base, double times, std::string name);

/// "contaminated, steal" for the bits of SeriesRow::flags; empty for none.
[[nodiscard]] std::string flag_names(std::uint32_t flags);

/// Flags that mark a series as disturbed from outside of what is under test.
[[nodiscard]] std::uint32_t disturbance_flags();

/// Of a row's flags those that excuse a shortfall. None when a GPU's own clock timed it: what else the host's CPUs do
/// is not in these times.
[[nodiscard]] std::uint32_t disturbances_of(const results::SeriesRow& row);

}  // namespace assay
